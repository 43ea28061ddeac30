# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# distutils: language=c++
"""What :mod:`skparaphrase._core._plain` does, compiled. It documents each function.

Functions let other threads run: they read str and arrays in place, without the lock.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from cpython.buffer cimport (
    PyBUF_C_CONTIGUOUS, PyBUF_FORMAT, PyBuffer_Release, PyObject_GetBuffer,
)
from cpython.bytearray cimport PyByteArray_FromStringAndSize
from libc.math cimport pow, powf, sqrt, sqrtf
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy, memset, strchr
from libcpp.algorithm cimport unique
from libcpp.string cimport string
from libcpp.vector cimport vector

import os

import numpy as np

from skparaphrase._core import _plain

cdef enum:
    WINDOW = 32
# Random, so that nobody can write a text whose words share their slots.
cdef uint64_t SECRET = int.from_bytes(os.urandom(8), "little") | 1
assert WINDOW == _plain.WINDOW

cdef extern from "Python.h" nogil:
    bint Py_ISALNUM(uint32_t)  # of ASCII
    bint Py_UNICODE_ISALNUM(uint32_t)
    bint Py_UNICODE_ISDECIMAL(uint32_t)
    bint Py_UNICODE_ISSPACE(uint32_t)

cdef extern from "Python.h":
    bint PyUnicode_IS_ASCII(object)

cdef uint32_t[256] CRC
cdef int _i, _bit
for _i in range(256):
    CRC[_i] = _i
    for _bit in range(8):
        CRC[_i] = (CRC[_i] >> 1) ^ (0xEDB88320u if CRC[_i] & 1 else 0)

cdef size_t MOST_RUNS = _plain.MOST_RUNS, MOST_MARKS = _plain.MOST_MARKS
cdef vector[char] IS_MARK
IS_MARK.resize(ord(max(_plain.MARKS)) + 1, False)
for _i in map(ord, _plain.MARKS):
    IS_MARK[_i] = True

# Texts in UTF-8 -----------------------------------------------------------------------

ctypedef const char* Position


cdef struct Text:
    Position start, stop


cdef list read_texts(texts, vector[Text]& spans):
    """Where the bytes of texts are; the list that is returned owns them."""
    cdef list owners = []
    cdef bytes owner
    for text in texts:
        if not isinstance(text, str):
            raise TypeError(f"Expected str; got {text!r} ({type(text).__name__}).")
        owner = (<str>text).encode("utf-8", "surrogatepass")
        owners.append(owner)
        spans.push_back(Text(<const char*>owner, <const char*>owner + len(owner)))
    return owners


cdef inline Position read(Position p, uint32_t* c) noexcept nogil:
    """Read a character; return where the next one begins."""
    cdef int i, size
    c[0] = <uint8_t>p[0]
    if c[0] < 0x80:
        return p + 1
    size = 2 + (c[0] >= 0xE0) + (c[0] >= 0xF0)
    c[0] &= 0xFF >> size + 1
    for i in range(1, size):
        c[0] = c[0] << 6 | p[i] & 0x3F
    return p + size


cdef inline bint is_word(uint32_t c) noexcept nogil:
    """Whether a character is a letter, a digit or "_"."""
    return Py_ISALNUM(c) or c == 95 if c < 128 else Py_UNICODE_ISALNUM(c)


cdef inline bint is_inner(uint32_t c) noexcept nogil:
    """Whether a character can stand inside a word."""
    return is_word(c) or c < IS_MARK.size() and IS_MARK[c]


cdef list fold(texts, bint lowercase):
    """What :func:`_plain.folded` does, to many texts."""
    cdef list found = []
    for text in texts:
        if isinstance(text, str) and not PyUnicode_IS_ASCII(text):
            text = _plain.normalize("NFC", text, has_long_run(text))
        found.append(text)
    return [*map(str.lower, found)] if lowercase else found


cdef bint has_long_run(text):
    """Whether more marks follow each other than a normal form sorts in linear time."""
    cdef Py_UCS4 c
    cdef size_t n = 0
    for c in <str>text:  # or of a subclass
        n = n + 1 if c < IS_MARK.size() and IS_MARK[c] and c != 0x34F else 0
        if n > MOST_MARKS:
            return True
    return False


cdef tuple arrays_of(const vector[int32_t]& ids, const vector[int64_t]& offsets):
    return (
        array_of(ids.data(), ids.size() * 4, np.int32),
        array_of(offsets.data(), offsets.size() * 8, np.int64),
    )


cdef array_of(const void* data, size_t size, dtype):
    """A copy of bytes as an array."""
    return np.frombuffer(PyByteArray_FromStringAndSize(<const char*>data, size), dtype)


# Strings and their rows ---------------------------------------------------------------

cdef struct Key:
    Position start
    int64_t size  # in bytes
    uint64_t code  # the bytes; of more than eight, a hash


cdef struct Slot:
    uint64_t code
    int32_t size, row  # -1: empty


cdef inline uint64_t extend(uint64_t code, Position start, Position stop) noexcept nogil:
    """The code of a string and the bytes that follow it."""
    cdef uint64_t first
    while start < stop:
        first = code >> 56
        code = code << 8 | <uint8_t>start[0]
        if first:  # of more than eight bytes
            code ^= first * SECRET
        start += 1
    return code


cdef inline Key key_of(Position start, Position stop) noexcept nogil:
    return Key(start, stop - start, extend(0, start, stop))


cdef class WordIndex:
    cdef vector[Slot] slots  # a hash table of UTF-8, at most half full
    cdef int shift  # 64 less the bits of the number of slots
    cdef vector[string] strings
    cdef readonly dict memory

    def __cinit__(self, words=()):
        cdef vector[Text] spans
        cdef list owners = read_texts(words, spans)
        self.memory = {}
        self.shift = 60
        while 2 * spans.size() >> 64 - self.shift:
            self.shift -= 1
        self.grow()
        self.strings.reserve(spans.size())
        for span in spans:
            self.add(key_of(span.start, span.stop))

    cdef int grow(self) except -1 nogil:
        """Double the number of slots."""
        cdef vector[Slot] before
        before.swap(self.slots)
        self.shift -= 1
        self.slots.assign(<size_t>1 << 64 - self.shift, Slot(0, 0, -1))
        for slot in before:
            if slot.row >= 0:
                self.slot_of(Key(NULL, -1, slot.code))[0] = slot
        return 0

    cdef inline Slot* home(self, uint64_t code) noexcept nogil:
        """Where the search for a string begins."""
        return &self.slots[code * SECRET >> self.shift]

    cdef inline Slot* slot_of(self, const Key& key) noexcept nogil:
        """The slot of a string, or the empty one where it belongs."""
        cdef Slot* slot = self.home(key.code)
        while slot.row >= 0 and (slot.code != key.code or slot.size != key.size or (
            key.size > 8 and memcmp(self.strings[slot.row].data(), key.start, key.size)
        )):
            slot = slot + 1 if slot < &self.slots.back() else self.slots.data()
        return slot

    cdef int32_t add(self, const Key& key) except -1 nogil:
        """The row of a string, which is added if it is new."""
        cdef Slot* slot = self.slot_of(key)
        cdef int32_t row = slot.row
        if row < 0:
            row = self.strings.size()
            slot[0] = Slot(key.code, key.size, row)
            self.strings.push_back(string(key.start, key.size))
            if 2 * self.strings.size() > self.slots.size():
                self.grow()
        return row

    def insert(self, str word not None):
        cdef bytes key = word.encode("utf-8", "surrogatepass")
        return self.add(key_of(key, <const char*>key + len(key)))

    def get(self, word, default=None):
        if not isinstance(word, str):
            return default
        cdef bytes key = word.encode("utf-8", "surrogatepass")
        row = self.slot_of(key_of(key, <const char*>key + len(key))).row
        return default if row < 0 else row

    def __getitem__(self, word):
        if (row := self.get(word)) is None:
            raise KeyError(word)
        return row

    def __contains__(self, word):
        return self.get(word) is not None

    def __len__(self):
        return self.strings.size()

    def __iter__(self):
        return iter(self.words())

    def keys(self):
        return self.words()

    def words(self):
        return [(<bytes>word).decode("utf-8", "surrogatepass") for word in self.strings]


# Words --------------------------------------------------------------------------------

def find_words(
    texts, WordIndex index not None, tokenizer, unknown, bint keep_new, WordIndex new not None
):
    if tokenizer.pattern != "words":
        return _plain.find_words(texts, index, tokenizer, unknown, keep_new, new)
    cdef bint split = tokenizer.split_compounds
    cdef int32_t unknown_row = -1 if unknown is None else unknown
    cdef vector[Text] spans
    cdef list owners = read_texts(fold(texts, tokenizer.lowercase), spans)
    cdef vector[int32_t] ids
    cdef vector[int64_t] offsets
    cdef Position p, after
    cdef uint32_t c
    with nogil:
        offsets.push_back(0)
        for span in spans:
            p = span.start
            while p < span.stop:
                after = read(p, &c)
                if not Py_UNICODE_ISSPACE(c):
                    after = end_of_token(p, span.stop)
                    find_token(index, Text(p, after), split, unknown_row, keep_new, new, ids)
                p = after
            offsets.push_back(ids.size())
    return arrays_of(ids, offsets)


cdef inline Position end_of_token(Position p, Position stop) noexcept nogil:
    cdef Position after
    cdef uint32_t c
    p = read(p, &c)
    if not is_word(c):
        stop = p
    while p < stop:
        after = read(p, &c)
        if not is_inner(c):
            if after == stop or c != 39 and c != 45 and c != 46:  # '-.
                break
            after = read(after, &c)
            if not is_word(c):
                break
        p = after
    return p


cdef inline int find_token(
    WordIndex index, Text token, bint split, int32_t unknown, bint keep_new, WordIndex new,
    vector[int32_t]& ids,
) except -1 nogil:
    """Append the row of a token, or those of its parts."""
    cdef int32_t row = index.slot_of(key_of(token.start, token.stop)).row
    if row < 0:
        return find_parts(index, token, split, unknown, keep_new, new, ids)
    ids.push_back(row)
    return 0


cdef int find_parts(
    WordIndex index, Text token, bint split, int32_t unknown, bint keep_new, WordIndex new,
    vector[int32_t]& ids,
) except -1 nogil:
    """Append the rows of the parts of a token that the index lacks."""
    cdef vector[Text] parts, runs
    cdef size_t n_numbers = 0
    cdef bint is_split = False
    cdef int32_t row
    cdef uint32_t c
    cdef Key key
    cdef Position p = token.start
    while p < token.stop and 97 <= (p[0] | 32) <= 122:  # a to z: most unknown words
        p += 1
    split &= p < token.stop
    if split and split_token(token, 1, parts) == 3:  # with letters and digits
        for part in parts:
            row = index.slot_of(key_of(part.start, part.stop)).row
            split_token(part, 1 if row >= 0 or is_whole(part) else 2, runs)
        for run in runs:
            read(run.start, &c)
            n_numbers += Py_UNICODE_ISDECIMAL(c)
        if 0 < n_numbers < runs.size() <= MOST_RUNS:
            for run in runs:
                find_token(index, run, split, unknown, keep_new, new, ids)
            return 0
    parts.clear()
    if split:
        split_token(token, 0, parts)
    for part in parts:
        is_split |= index.slot_of(key_of(part.start, part.stop)).row >= 0
    if not is_split:
        parts.assign(1, token)
    for part in parts:
        key = key_of(part.start, part.stop)
        row = index.slot_of(key).row if is_split else unknown
        if row >= 0:
            ids.push_back(row)
        elif (keep_new or not is_split) and has_letter(key.start, key.start + key.size):
            ids.push_back(-1 - new.add(key))
    return 0


cdef bint is_whole(Text part) noexcept nogil:
    """Whether a part is 1 to 3 letters and a digit ("co2"), or an ordinal ("12th")."""
    cdef Position p = part.start
    cdef uint32_t c = 0
    cdef int last, n = 0
    while p < part.stop and not Py_UNICODE_ISDECIMAL(c):
        p = read(p, &c)
        n += 1
    if p == part.stop:
        return Py_UNICODE_ISDECIMAL(c) and 2 <= n <= 4
    p = part.start
    while p < part.stop and 48 <= p[0] <= 57:
        p += 1
    if p == part.start or part.stop - p != 2:
        return False
    last = p[-1] - 48
    return (
        memcmp(p, <const char*>b"th", 2) == 0
        or last == 1 and memcmp(p, <const char*>b"st", 2) == 0
        or last == 2 and memcmp(p, <const char*>b"nd", 2) == 0
        or last == 3 and memcmp(p, <const char*>b"rd", 2) == 0
    )


cdef int split_token(Text token, int depth, vector[Text]& parts) except -1 nogil:
    """Append the parts of a token: 0, between joiners; 1, with numbers whole; 2, runs.

    Returns whether it has letters (1), digits (2), or both (3).
    """
    cdef Position p = token.start, after
    cdef uint32_t c
    cdef int kind, kinds = 0, last = 0  # 3: joiner after a digit, 0: other
    while p < token.stop:
        after = read(p, &c)
        if is_inner(c):
            kind = 2 if Py_UNICODE_ISDECIMAL(c) else 1
            if last == kind or last == 3 and kind == 2 or depth < 2 and 0 < last < 3:
                parts.back().stop = after
            else:
                parts.push_back(Text(p, after))
            kinds |= kind
            last = kind
        else:
            last = 3 if depth and last == 2 else 0
        p = after
    return kinds


cdef inline bint has_letter(Position p, Position stop) noexcept nogil:
    """Whether a token has a letter or digit."""
    cdef uint32_t c = 95
    while p < stop and (c == 95 or not is_word(c)):
        p = read(p, &c)
    return c != 95 and is_word(c)


# Character n-grams --------------------------------------------------------------------

cdef int read_ngrams(
    Position start, Position stop, int low, int high, vector[Key]& keys
) except -1 nogil:
    """The n-grams of a text, by the first character and then by order."""
    cdef vector[Position] starts  # of characters
    cdef Py_ssize_t i, j, n
    cdef uint64_t code
    cdef Key* key
    starts.reserve(stop - start + 1)
    for i in range(stop - start):
        if start[i] & 0xC0 != 0x80:
            starts.push_back(start + i)
    n = starts.size()
    starts.push_back(stop)
    keys.resize(n * (high - low + 1))
    key = keys.data()
    for i in range(n):
        code = 0
        for j in range(i + 1, min(i + high, n) + 1):
            code = extend(code, starts[j - 1], starts[j])
            if j - i >= low:  # field by field: a copy of a key waits for its stores
                key.start, key.size, key.code = starts[i], starts[j] - starts[i], code
                key += 1
    keys.resize(key - keys.data())
    return n


cdef int sort_rows(vector[int32_t]& rows, size_t start, int64_t n_rows) except -1 nogil:
    """Sort rows from `start` on, which are below `n_rows`, by their digits."""
    cdef vector[int32_t] unsorted
    cdef int32_t* out = rows.data() + start
    cdef int32_t[513] places
    cdef int32_t row, i
    cdef int shift = 0
    while n_rows >> shift:
        unsorted.assign(rows.begin() + start, rows.end())
        memset(places, 0, sizeof(places))
        for row in unsorted:
            places[(row >> shift & 511) + 1] += 1
        for i in range(512):
            places[i + 1] += places[i]
        for row in unsorted:
            out[places[row >> shift & 511]] = row
            places[row >> shift & 511] += 1
        shift += 9
    return 0


def find_ngrams(
    texts, WordIndex index not None, int low, int high, unknown, bint lowercase, bint binary,
    bint grow,
):
    cdef int32_t unknown_row = -1 if unknown is None else unknown, row
    cdef vector[Text] spans
    cdef list owners = read_texts(fold(texts, lowercase), spans)
    cdef vector[char] text
    cdef vector[Key] keys
    cdef vector[int32_t] ids
    cdef vector[int64_t] offsets
    cdef Position p, after, word
    cdef uint32_t c
    cdef int64_t n_rows = max(len(index), unknown_row + 1)
    with nogil:
        offsets.push_back(0)
        for span in spans:
            text.assign(1, 32)  # between spaces, and runs of white space as one
            p = word = span.start
            while p <= span.stop:
                after = read(p, &c)
                if p == span.stop or Py_UNICODE_ISSPACE(c):
                    if word < p:
                        text.insert(text.end(), word, p)
                        text.push_back(32)
                    word = after
                p = after
            p = text.data()
            read_ngrams(p, p + (text.size() if text.size() > 1 else 0), low, high, keys)
            for key in keys:
                __builtin_prefetch(index.home(key.code))
            for key in keys:
                row = index.add(key) if grow else index.slot_of(key).row
                if row >= 0 or unknown_row >= 0:
                    ids.push_back(row if row >= 0 else unknown_row)
            if binary:
                sort_rows(ids, offsets.back(), n_rows)
                ids.erase(unique(ids.begin() + offsets.back(), ids.end()), ids.end())
            offsets.push_back(ids.size())
    return arrays_of(ids, offsets)


cdef uint32_t hash_of(const Key& key, bint is_crc) noexcept nogil:
    cdef uint32_t state = 0xFFFFFFFFu if is_crc else 2166136261u
    cdef int64_t i
    for i in range(key.size):
        if is_crc:
            state = CRC[(state ^ key.start[i]) & 0xFF] ^ (state >> 8)
        else:
            state = (state ^ <uint32_t><int8_t>key.start[i]) * 16777619
    return ~state if is_crc else state


def hash_ngrams(words, int low, int high, kind, uint32_t n_rows, double factor):
    cdef bint is_crc = kind == "crc32"
    cdef vector[Text] spans
    cdef list owners = read_texts([f"<{word}>" for word in words], spans)
    cdef vector[Key] keys
    cdef vector[int32_t] ids
    cdef vector[int64_t] offsets
    cdef vector[float] weights
    cdef size_t n
    with nogil:
        offsets.push_back(0)
        for span in spans:
            n = read_ngrams(span.start, span.stop, low, high, keys)
            if is_crc and not low <= n <= high:
                keys.push_back(key_of(span.start, span.stop))
            for key in keys:
                if is_crc or key.size > 1 or span.start < key.start < span.stop - 1:
                    ids.push_back(hash_of(key, is_crc) % n_rows)
            n = ids.size() - offsets.back()
            weights.resize(ids.size(), factor / pow(n, 0.5 if is_crc else 1))
            offsets.push_back(ids.size())
    return *arrays_of(ids, offsets), array_of(weights.data(), weights.size() * 4, np.float32)


# Sums and averages of rows ------------------------------------------------------------

ctypedef const float* Row

cdef extern from *:
    """
    // Compiled twice where the loader can choose: sums are the same to the bit.
    #if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__)
    #define KERNEL __attribute__((target_clones("avx2", "default"))) static
    #else
    #define KERNEL static
    #endif
    #ifdef _MSC_VER
    #define __builtin_prefetch(address)
    #endif

    KERNEL void add(
        float *__restrict out, const float *__restrict row, float factor, Py_ssize_t n
    ) {
        for (Py_ssize_t j = 0; j < n; j++) out[j] += factor * row[j];
    }
    KERNEL void add_int8(
        float *__restrict out, const int8_t *__restrict row, float scale, float factor, Py_ssize_t n
    ) {
        for (Py_ssize_t j = 0; j < n; j++) out[j] += factor * (row[j] * scale);
    }
    KERNEL void copy_int8(
        float *__restrict out, const int8_t *__restrict row, float scale, Py_ssize_t n
    ) {
        for (Py_ssize_t j = 0; j < n; j++) out[j] = row[j] * scale;
    }
    KERNEL void copy_half(float *__restrict out, const uint16_t *__restrict row, Py_ssize_t n) {
        const union { uint32_t bits; float number; } magic = {239u << 23};  // 2**112
        for (Py_ssize_t j = 0; j < n; j++) {
            union { uint32_t bits; float number; } half = {(row[j] & 0x7FFFu) << 13};
            half.number *= magic.number;
            half.bits |= (half.number >= 65536.0f ? 255u << 23 : 0u) | (row[j] & 0x8000u) << 16;
            out[j] = half.number;
        }
    }
    KERNEL void update(
        float *__restrict x, const float *__restrict gradient, float *__restrict mean,
        float *__restrict square, const float *__restrict c, Py_ssize_t n
    ) {
        for (Py_ssize_t j = 0; j < n; j++) {
            float change = c[0] * gradient[j];
            if (mean) change = c[0] * (mean[j] = c[1] * mean[j] + c[2] * gradient[j]);
            if (square) {
                square[j] = c[3] * (square[j] > c[5] ? square[j] : c[5]);
                square[j] += c[4] * gradient[j] * gradient[j];
                change /= sqrtf(square[j]) + c[6];
            }
            x[j] -= change;
        }
    }
    KERNEL void add_rows(  // what add does, in the same order; in half the time
        float *__restrict out, const float *const *rows, const float *factors, Py_ssize_t m,
        Py_ssize_t n
    ) {
        for (; m >= 4; m -= 4, rows += 4, factors += 4) {
            const float *a = rows[0], *b = rows[1], *c = rows[2], *d = rows[3];
            const float f = factors[0], g = factors[1], h = factors[2], i = factors[3];
            for (Py_ssize_t j = 0; j < n; j++)
                out[j] = out[j] + f * a[j] + g * b[j] + h * c[j] + i * d[j];
        }
        for (; m; m--, rows++, factors++) {
            const float *a = rows[0], f = factors[0];
            for (Py_ssize_t j = 0; j < n; j++) out[j] += f * a[j];
        }
    }
    #if defined(__GNUC__)
    typedef float Lanes __attribute__((vector_size(32), aligned(4)));
    #else
    struct Lanes {
        float x[8];
        float& operator[](int k) { return x[k]; }
        void operator+=(const Lanes& o) { for (int k = 0; k < 8; k++) x[k] += o.x[k]; }
        Lanes operator*(const Lanes& o) const {
            Lanes y;
            for (int k = 0; k < 8; k++) y.x[k] = x[k] * o.x[k];
            return y;
        }
    };
    #endif
    #define AT(p) (*(const Lanes*)(p))
    // Of rows with `other`, or with themselves, three at a time: a sum waits for the one before.
    KERNEL void dots(
        float *__restrict out, const float *const *rows, const float *other, Py_ssize_t m,
        Py_ssize_t n
    ) {
        for (Py_ssize_t i = 0; i < m; i += 3) {
            const float *a[3], *b[3];
            for (int l = 0; l < 3; l++) {
                a[l] = rows[i + l < m ? i + l : i];
                b[l] = other ? other : a[l];
            }
            Lanes low[3] = {}, high[3] = {};
            float total[3] = {0};
            Py_ssize_t j = 0;
            for (; j + 16 <= n; j += 16)
                for (int l = 0; l < 3; l++) {
                    low[l] += AT(a[l] + j) * AT(b[l] + j);
                    high[l] += AT(a[l] + j + 8) * AT(b[l] + j + 8);
                }
            for (; j < n; j++)
                for (int l = 0; l < 3; l++) total[l] += a[l][j] * b[l][j];
            for (int k = 0; k < 8; k++)
                for (int l = 0; l < 3; l++) total[l] += low[l][k];
            for (int k = 0; k < 8; k++)
                for (int l = 0; l < 3; l++) total[l] += high[l][k];
            for (int l = 0; l < 3 && i + l < m; l++) out[i + l] = total[l];
        }
    }
    KERNEL float dot(const float *__restrict a, const float *__restrict b, Py_ssize_t n) {
        float lanes[16] = {0}, total = 0;  // in an order that no compiler changes
        Py_ssize_t j = 0;
        for (; j + 16 <= n; j += 16)
            for (int k = 0; k < 16; k++) lanes[k] += a[j + k] * b[j + k];
        for (; j < n; j++) total += a[j] * b[j];
        for (int k = 0; k < 16; k++) total += lanes[k];
        return total;
    }
    """
    void add(float*, const float*, float, Py_ssize_t) noexcept nogil
    void add_rows(float*, const Row*, const float*, Py_ssize_t, Py_ssize_t) noexcept nogil
    void add_int8(float*, const int8_t*, float, float, Py_ssize_t) noexcept nogil
    void copy_int8(float*, const int8_t*, float, Py_ssize_t) noexcept nogil
    void copy_half(float*, const uint16_t*, Py_ssize_t) noexcept nogil
    void update(float*, const float*, float*, float*, const float*, Py_ssize_t) noexcept nogil
    float dot(const float*, const float*, Py_ssize_t) noexcept nogil
    void dots(float*, const Row*, const float*, Py_ssize_t, Py_ssize_t) noexcept nogil
    void __builtin_prefetch(const void*) noexcept nogil


cdef void* data_of(array, const char* formats, int itemsize, Py_ssize_t n) except? NULL:
    """The n numbers of a contiguous array, which the caller keeps; NULL for None.

    `formats` are those of Python's module struct, without a foreign byte order.
    """
    cdef Py_buffer view
    if array is None:
        return NULL
    PyObject_GetBuffer(array, &view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT)
    cdef bint is_one = view.format[0] != 0 and view.format[1] == 0
    is_one &= strchr(formats, view.format[0]) != NULL
    PyBuffer_Release(&view)
    if not is_one or view.itemsize != itemsize or view.len != n * itemsize:
        raise ValueError(
            f"Expected {n} numbers of {itemsize} bytes; got {array.size} of {array.dtype!r}."
        )
    return view.buf


cdef int read_factors(
    const int32_t* ids, const int64_t* offsets, const float* weights, pooling, Py_ssize_t n_tokens,
    Py_ssize_t n_texts, Py_ssize_t low, Py_ssize_t high, vector[float]& factors
) except -1:
    """Get the factor of each row; raise an error for ids and offsets outside of arrays."""
    cdef Py_ssize_t text, t, length
    cdef bint is_mean = pooling == "mean"
    cdef bint is_valid = offsets[0] == 0 and offsets[n_texts] == n_tokens
    for text in range(n_texts):
        length = offsets[text + 1] - offsets[text]
        is_valid &= length >= 0 and offsets[text + 1] <= n_tokens
        factors.resize(offsets[text + 1] if is_valid else 0, 1 / <float>length if is_mean else 1)
    if not is_valid:
        raise ValueError(f"offsets must rise from 0 to {n_tokens}, the number of ids.")
    for t in range(n_tokens):
        if not low <= ids[t] < high:
            raise IndexError(f"No row {ids[t]} among rows {low} to {high - 1}.")
        if weights:
            factors[t] *= weights[t]
    return 0


cdef struct Table:
    int itemsize  # of float32, float16 or int8
    Py_ssize_t dim
    const char* rows
    const float* scale
    const float* extra


cdef inline const float* row_of(const Table& table, int32_t i, float* room) noexcept nogil:
    """A row in float32, in the table or in `room`."""
    cdef const char* row = table.rows + i * table.dim * table.itemsize
    if i < 0:
        return table.extra - (i + 1) * table.dim
    if table.itemsize == 4:
        return <const float*>row
    if table.itemsize == 2:
        copy_half(room, <const uint16_t*>row, table.dim)
    else:
        copy_int8(room, <const int8_t*>row, table.scale[i], table.dim)
    return room


cdef inline void prefetch(const Table& table, int32_t i) noexcept nogil:
    """Ask for a row that is needed soon."""
    cdef Py_ssize_t j = 0
    while i >= 0 and j < table.dim * table.itemsize:
        __builtin_prefetch(table.rows + i * table.dim * table.itemsize + j)
        j += 64


def pool_rows(matrix, scale, extra, ids, offsets, weights, pooling, out):
    if matrix.itemsize == 8:
        return _plain.pool_rows(matrix, scale, extra, ids, offsets, weights, pooling, out)
    given = np.zeros(len(ids), np.float32) if pooling == "distinct" else None
    cdef Py_ssize_t n_tokens = len(ids), n_texts = len(out), dim = out.shape[1]
    cdef Py_ssize_t n_rows = len(matrix), n_extra = 0 if extra is None else len(extra)
    cdef Py_ssize_t text, start, stop, t, window, n_windows
    cdef const int32_t* rows = <const int32_t*>data_of(ids, "il", 4, n_tokens)
    cdef const int64_t* bounds = <const int64_t*>data_of(offsets, "lq", 8, n_texts + 1)
    cdef const float* weight = <const float*>data_of(weights, "f", 4, n_tokens)
    cdef float* shares = <float*>data_of(given, "f", 4, n_tokens)
    cdef float* sums = <float*>data_of(out, "f", 4, n_texts * dim)
    cdef Table table = Table(
        matrix.itemsize, dim, <const char*>data_of(matrix, "feb", matrix.itemsize, n_rows * dim),
        <const float*>data_of(scale, "f", 4, n_rows), <const float*>data_of(extra, "f", 4, n_extra * dim),
    )
    if table.itemsize == 1 and not table.scale:
        raise ValueError("Rows of int8 need a scale.")
    cdef vector[float] factors, room
    cdef const int8_t* row
    read_factors(rows, bounds, weight, pooling, n_tokens, n_texts, -n_extra, n_rows, factors)
    with nogil:
        room.resize((WINDOW + 2) * dim if shares else dim)
        for text in range(n_texts):
            start, stop = bounds[text], bounds[text + 1]
            n_windows = (stop - start + WINDOW - 1) // WINDOW if shares else 0
            for window in range(n_windows):
                t = start + window * (stop - start) // n_windows
                average_distinct(
                    table, rows + t, factors.data() + t,
                    start + (window + 1) * (stop - start) // n_windows - t, stop - start,
                    shares + t, sums, room.data(),
                )
            for t in range(start, stop if not shares else start):
                if t + 4 < n_tokens:
                    prefetch(table, rows[t + 4])
                if table.itemsize == 1 and rows[t] >= 0:
                    row = <const int8_t*>table.rows + rows[t] * dim
                    add_int8(sums, row, table.scale[rows[t]], factors[t], dim)
                else:
                    add(sums, row_of(table, rows[t], room.data()), factors[t], dim)
            sums += dim
    return given


cdef void average_distinct(
    const Table& table, const int32_t* ids, const float* factors, Py_ssize_t n, Py_ssize_t n_all,
    float* shares, float* out, float* room
) noexcept nogil:
    """Add the average of the distinct ids of a window to `out`, and write their shares.

    `room` holds the rows of a window and two more.
    """
    cdef Py_ssize_t dim = table.dim, i, t, n_rows = 0
    cdef float total = 0, length, along, part = <float>n / <float>n_all
    cdef float* sums = room + WINDOW * dim
    cdef Py_ssize_t[WINDOW] first  # places of distinct ids
    cdef Row[WINDOW] rows
    cdef float[WINDOW] scales, weights, products
    for t in range(n):
        i = 0
        while i < n_rows and ids[first[i]] != ids[t]:
            i += 1
        if i == n_rows:
            first[i] = t
            n_rows += 1
    memset(sums, 0, 2 * dim * sizeof(float))
    for i in range(n_rows):
        if i + 2 < n_rows:
            prefetch(table, ids[first[i + 2]])
        rows[i] = row_of(table, ids[first[i]], room + i * dim)
    dots(products, rows, NULL, n_rows, dim)
    for i in range(n_rows):
        t = first[i]
        length = length_of(rows[i], products[i], dim)
        scales[i] = ((factors[t] > 0) - (factors[t] < 0)) / length
    add_rows(sums, rows, scales, n_rows, dim)
    dots(products, rows, sums, n_rows, dim)
    for i in range(n_rows):
        length = products[i] * scales[i]
        weights[i] = 1 / sqrtf(1 if length < 1 else length)
        products[i] = weights[i] * factors[first[i]]
    sums += dim
    add_rows(sums, rows, products, n_rows, dim)
    length = length_of(sums, dot(sums, sums, dim), dim)
    if not 1e-15 < length < 1e15:  # products with rows would over- or underflow
        for i in range(dim):
            sums[i] /= length
        length = 1
    dots(products, rows, sums, n_rows, dim)
    for i in range(n_rows):
        along = products[i] * scales[i] / length
        weights[i] *= powf((0 if along < 0 else along) + <float>0.3, <float>-0.35)
        total += weights[i]
    for i in range(n_rows):
        t = first[i]
        shares[t] = weights[i] / total * part
        products[i] = shares[t] * factors[t]
    add_rows(out, rows, products, n_rows, dim)


cdef inline float length_of(const float* row, float square, Py_ssize_t dim) noexcept nogil:
    """Of a row and its product with itself, not 0: divided by it, zeros stay so."""
    cdef double exact = 0, least = 1.1754943508222875e-38
    cdef Py_ssize_t j
    if 1e-30 < square < 1e30:
        return sqrtf(square)
    for j in range(dim):
        exact += <double>row[j] * row[j]
    return max(sqrt(exact), least)


def scale_to_unit(rows):
    if rows.itemsize == 8:
        return _plain.scale_to_unit(rows)
    cdef Py_ssize_t n = len(rows), dim = rows.shape[1], i, j
    cdef float* row = <float*>data_of(rows, "f", 4, n * dim)
    cdef float length
    with nogil:
        for i in range(n):
            length = sqrtf(dot(row, row, dim))
            if 1e-15 < length < 1e15:
                for j in range(dim):
                    row[j] /= length
            else:
                j = 0
                while j < dim and not row[j]:
                    j += 1
                if j < dim:  # not zero
                    with gil:
                        _plain.scale_to_unit(rows[i : i + 1])
            row += dim


def add_to_rows(gradient, ids, offsets, weights, pooling, out):
    if gradient.itemsize == 8:
        return _plain.add_to_rows(gradient, ids, offsets, weights, pooling, out)
    cdef Py_ssize_t n_tokens = len(ids), n_texts = len(gradient), n_rows = len(out)
    cdef Py_ssize_t dim = out.shape[1], text, t
    cdef const int32_t* rows = <const int32_t*>data_of(ids, "il", 4, n_tokens)
    cdef const int64_t* bounds = <const int64_t*>data_of(offsets, "lq", 8, n_texts + 1)
    cdef const float* weight = <const float*>data_of(weights, "f", 4, n_tokens)
    cdef const float* row = <const float*>data_of(gradient, "f", 4, n_texts * dim)
    cdef float* sums = <float*>data_of(out, "f", 4, n_rows * dim)
    cdef vector[float] factors
    read_factors(rows, bounds, weight, pooling, n_tokens, n_texts, 0, n_rows, factors)
    with nogil:
        for text in range(n_texts):
            for t in range(bounds[text], bounds[text + 1]):
                if factors[t]:
                    add(sums + rows[t] * dim, row, factors[t], dim)
            row += dim


def update_rows(rows, gradient, values, mean, square, anchors, limits, constants):
    cdef Py_ssize_t n = len(gradient), i, j, dim = gradient.size // max(n, 1)
    cdef Py_ssize_t size = values.size
    cdef const int64_t* row = <const int64_t*>data_of(rows, "lq", 8, n)
    cdef const float* of_row = <const float*>data_of(gradient, "f", 4, n * dim)
    cdef float* x = <float*>data_of(values, "f", 4, size)
    cdef float* m = <float*>data_of(mean, "f", 4, size)
    cdef float* s = <float*>data_of(square, "f", 4, size)
    cdef const float* anchor = <const float*>data_of(anchors, "f", 4, size)
    cdef const float* limit = <const float*>data_of(limits, "f", 4, len(values))
    cdef const float* c = <const float*>data_of(constants, "f", 4, 7)
    cdef vector[float] change = vector[float](dim)
    cdef float distance
    with nogil:
        for i in range(n):
            j = (row[i] if row else i) * dim
            update(x + j, of_row + i * dim, m + j if m else NULL, s + j if s else NULL, c, dim)
            if limit:
                memcpy(change.data(), x + j, 4 * dim)
                add(change.data(), anchor + j, -1, dim)
                distance = sqrtf(dot(change.data(), change.data(), dim))
                if distance > limit[j // dim]:
                    memcpy(x + j, anchor + j, 4 * dim)
                    add(x + j, change.data(), limit[j // dim] / distance, dim)


# Numbers ------------------------------------------------------------------------------

cdef inline bint is_blank(char c) noexcept nogil:
    return c == 32 or 9 <= c <= 13


def parse_numbers(bytes line not None, out):
    cdef Py_ssize_t n = len(out), start, stop = len(line)
    cdef double* numbers = <double*>data_of(out, "d", 8, n)
    cdef const char* text = line
    cdef int64_t digits, scale, decimals
    cdef char c
    while True:
        while stop and is_blank(text[stop - 1]):
            stop -= 1
        if not stop or not n:
            return 0 if n else stop
        n -= 1
        start, digits, scale, decimals = stop, 0, 1, 0
        while start and stop - start < 18:  # digits, from the last on
            c = text[start - 1]
            if 48 <= c <= 57:
                digits += scale * (c - 48)
                scale *= 10
            elif c == 46 and not decimals:  # .
                decimals = scale
            else:
                break
            start -= 1
        numbers[n] = <double>digits / <double>max(decimals, 1)
        if start and (text[start - 1] == 43 or text[start - 1] == 45):  # +-
            start -= 1
            numbers[n] *= 44 - text[start]
        # A quotient of exact doubles is rounded once, as by float, which reads others.
        if digits >> 53 or scale == 1 or (start and not is_blank(text[start - 1])):
            while start and not is_blank(text[start - 1]):
                start -= 1
            field = line[start:stop]
            try:
                numbers[n] = float(b"" if b"_" in field else field)
            except ValueError:
                return 0
        stop = start
