# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# distutils: language=c++
"""What :mod:`skparaphrase._core._plain` does, compiled. It documents each function.

Functions let other threads run: they read str and arrays in place, without the lock.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from cpython.buffer cimport (
    PyBUF_C_CONTIGUOUS, PyBuffer_Release, PyObject_GetBuffer
)
from cpython.bytearray cimport PyByteArray_FromStringAndSize
from libc.math cimport pow, powf, sqrtf
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy, memset
from libcpp.vector cimport vector

import numpy as np

from skparaphrase._core import _plain

cdef extern from "Python.h" nogil:
    bint Py_UNICODE_ISALNUM(uint32_t)
    bint Py_UNICODE_ISSPACE(uint32_t)

cdef enum:
    SPACE = 1
    WORD = 2  # a character of a word: a letter, a digit or "_"

INT32, INT64, FLOAT32 = map(np.dtype, (np.int32, np.int64, np.float32))
from_buffer = np.frombuffer

cdef uint8_t[128] CLASSES
cdef uint32_t[256] CRC
cdef int _i, _bit
for _i in range(128):
    CLASSES[_i] = SPACE * chr(_i).isspace() + WORD * (chr(_i).isalnum() or _i == 95)
for _i in range(256):
    CRC[_i] = _i
    for _bit in range(8):
        CRC[_i] = (CRC[_i] >> 1) ^ (0xEDB88320u if CRC[_i] & 1 else 0)

# Texts in UTF-8 -----------------------------------------------------------------------

cdef struct Text:
    const char* start
    const char* stop


cdef list read_texts(texts, bint lowercase, vector[Text]& spans, str before="", str after=""):
    """Where the bytes of texts are; the list that is returned owns them."""
    cdef list owners = []
    cdef bytes owner
    for text in texts:
        if not isinstance(text, str):
            raise TypeError(f"Expected str; got {text!r} ({type(text).__name__}).")
        text = before + (<str>text.lower() if lowercase else <str>text) + after
        owner = (<str>text).encode("utf-8", "surrogatepass")
        owners.append(owner)
        spans.push_back(Text(<const char*>owner, <const char*>owner + len(owner)))
    return owners


cdef inline const char* read(const char* p, uint32_t* c) noexcept nogil:
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


cdef inline bint is_space(uint32_t c) noexcept nogil:
    return CLASSES[c] == SPACE if c < 128 else Py_UNICODE_ISSPACE(c)


cdef inline bint is_word(uint32_t c) noexcept nogil:
    return CLASSES[c] == WORD if c < 128 else Py_UNICODE_ISALNUM(c)


# Strings and their rows ---------------------------------------------------------------

cdef struct Key:
    const char* start
    int64_t size  # in bytes
    uint64_t code  # the bytes; of more than eight, a hash


cdef struct Slot:
    uint64_t code
    int32_t size, row  # -1: empty


cdef inline uint64_t extend(uint64_t code, const char* start, const char* stop) noexcept nogil:
    """The code of a string and the bytes that follow it."""
    while start < stop:
        code = (code << 8 | code >> 56) ^ <uint8_t>start[0]
        start += 1
    return code


cdef inline Key key_of(const char* start, const char* stop) noexcept nogil:
    return Key(start, stop - start, extend(0, start, stop))


cdef class WordIndex:
    """Rows of strings: a hash table of their UTF-8, at most half full."""

    cdef vector[Slot] slots
    cdef int shift  # 64 less the bits of the number of slots
    cdef vector[char] bytes  # of the strings, end to end
    cdef vector[int64_t] ends
    cdef readonly dict memory

    def __init__(self, words=()):
        cdef vector[Text] spans
        cdef list owners = read_texts(words, False, spans)
        self.shift = 64
        self.memory = {}
        self.ends.push_back(0)
        self.reserve(spans.size())
        for span in spans:
            self.add(key_of(span.start, span.stop), True)

    cdef int reserve(self, size_t n) except -1 nogil:
        """Make room for n strings."""
        cdef vector[Slot] before
        before.swap(self.slots)
        self.shift = 58
        while 2 * n >> 64 - self.shift:
            self.shift -= 1
        self.slots.assign(<size_t>1 << 64 - self.shift, Slot(0, 0, -1))
        for slot in before:
            if slot.row >= 0:
                self.slot_of(Key(NULL, -1, slot.code))[0] = slot
        return 0

    cdef inline Slot* home(self, uint64_t code) noexcept nogil:
        """Where the search for a string begins."""
        return &self.slots[code * <uint64_t>0x9E3779B97F4A7C15 >> self.shift]

    cdef inline Slot* slot_of(self, const Key& key) noexcept nogil:
        """The slot of a string, or the empty one where it belongs."""
        cdef Slot* slot = self.home(key.code)
        while slot.row >= 0 and (slot.code != key.code or slot.size != key.size or (
            key.size > 8 and
            memcmp(&self.bytes[self.ends[slot.row]], key.start, key.size)
        )):
            slot = slot + 1 if slot < &self.slots.back() else self.slots.data()
        return slot

    cdef int32_t add(self, const Key& key, bint again) except -1 nogil:
        """The row of a string, which is new if the string is, or if `again`."""
        cdef Slot* slot = self.slot_of(key)
        cdef int32_t row = slot.row
        if row < 0 or again:
            row = self.ends.size() - 1
            slot[0] = Slot(key.code, key.size, row)
            self.bytes.insert(self.bytes.end(), key.start, key.start + key.size)
            self.ends.push_back(self.bytes.size())
            if 2 * self.ends.size() > self.slots.size():
                self.reserve(self.ends.size())
        return row

    def __len__(self):
        return self.ends.size() - 1

    def __contains__(self, word):
        return self.get(word) is not None

    def __getitem__(self, word):
        if (row := self.get(word)) is None:
            raise KeyError(word)
        return row

    def insert(self, str word not None):
        cdef bytes key = word.encode("utf-8", "surrogatepass")
        return self.add(key_of(key, <const char*>key + len(key)), False)

    def get(self, word, default=None):
        if not isinstance(word, str):
            return default
        cdef bytes key = word.encode("utf-8", "surrogatepass")
        row = self.slot_of(key_of(key, <const char*>key + len(key))).row
        return default if row < 0 else row

    def words(self):
        cdef const char* start = self.bytes.data()
        return [
            start[self.ends[i]:self.ends[i + 1]].decode("utf-8", "surrogatepass")
            for i in range(len(self))
        ]


cdef array_of(const void* data, size_t n, dtype):
    """A copy as an array."""
    return from_buffer(
        PyByteArray_FromStringAndSize(<const char*>data, n * dtype.itemsize), dtype
    )


# Words --------------------------------------------------------------------------------

def find_words(
    texts, WordIndex index not None, tokenizer, unknown, bint keep_new, WordIndex new not None
):
    if tokenizer.pattern != "words":
        return _plain.find_words(texts, index, tokenizer, unknown, keep_new, new)
    cdef bint lowercase = tokenizer.lowercase, split = tokenizer.split_compounds
    cdef int32_t unknown_row = -1 if unknown is None else unknown
    cdef vector[Text] spans
    cdef list owners = read_texts(texts, lowercase, spans)
    cdef vector[const char*] parts  # where the parts of a compound begin
    cdef vector[int32_t] ids
    cdef vector[int64_t] offsets
    cdef const char* p
    cdef const char* after
    cdef uint32_t c
    cdef bint is_run
    with nogil:
        offsets.push_back(0)
        for span in spans:
            p = span.start
            while p < span.stop:
                after = read(p, &c)
                if not is_space(c):
                    parts.assign(1, p)
                    is_run = is_word(c)
                    while is_run and after < span.stop:
                        p = read(after, &c)
                        if not is_word(c):
                            if c != 39 and c != 45 and c != 46 or p == span.stop:  # '-.
                                break
                            read(p, &c)
                            if not is_word(c):
                                break
                            parts.push_back(p)
                        after = p
                    parts.push_back(after + 1)
                    find_token(index, new, parts, is_run, split, unknown_row, keep_new, ids)
                p = after
            offsets.push_back(ids.size())
    return (
        array_of(ids.data(), ids.size(), INT32),
        array_of(offsets.data(), offsets.size(), INT64),
    )


cdef inline bint has_letter(const Key& key) noexcept nogil:
    """Whether a run of words has a letter or digit, and not only "_" and joiners."""
    cdef int64_t i
    for i in range(key.size):
        if key.start[i] not in b"_'-.":
            return True
    return False


cdef int find_token(
    WordIndex index, WordIndex new, const vector[const char*]& parts, bint is_run, bint split,
    int32_t unknown, bint keep_new, vector[int32_t]& ids,
) except -1 nogil:
    """Append the rows of a token, or of its parts.

    A part begins at each place of `parts` and ends one byte before the next. `is_run`:
    whether the token is made of words, and no other character.
    """
    cdef Key key = key_of(parts.front(), parts.back() - 1)
    cdef int32_t row = index.slot_of(key).row
    cdef size_t i, n_parts = parts.size() - 1
    cdef bint is_known = False
    if row < 0 and split and n_parts > 1:
        for i in range(n_parts):
            is_known |= index.slot_of(key_of(parts[i], parts[i + 1] - 1)).row >= 0
    if is_known:
        for i in range(n_parts):
            key = key_of(parts[i], parts[i + 1] - 1)
            row = index.slot_of(key).row
            if row < 0 and keep_new and has_letter(key):
                ids.push_back(-1 - new.add(key, False))
            elif row >= 0:
                ids.push_back(row)
    elif row >= 0 or unknown >= 0:
        ids.push_back(row if row >= 0 else unknown)
    elif is_run and has_letter(key):
        ids.push_back(-1 - new.add(key, False))
    return 0


# Character n-grams --------------------------------------------------------------------

cdef int read_ngrams(
    const char* start, const char* stop, int low, int high, vector[const char*]& starts,
    vector[Key]& keys,
) except -1 nogil:
    """The n-grams of a text, by the first character and then by order."""
    cdef Py_ssize_t i, j, n = 0
    cdef uint64_t code
    cdef Key* key
    starts.resize(stop - start + 1)
    while start < stop:
        starts[n] = start
        n += 1
        start += 1
        while start < stop and start[0] & 0xC0 == 0x80:
            start += 1
    starts[n] = stop
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


cdef size_t sort_distinct(int32_t* rows, int32_t* room, size_t n) noexcept nogil:
    """Sort the rows of a text by their digits; return how many differ."""
    cdef int32_t[513] places
    cdef int32_t* out = rows
    cdef int32_t row, before = -1, bits = 0
    cdef size_t i, kept = 0
    cdef int shift = 0
    for i in range(n):
        bits |= rows[i]
    while shift < 31 and bits >> shift:
        memset(places, 0, sizeof(places))
        for i in range(n):
            places[(rows[i] >> shift & 511) + 1] += 1
        for i in range(512):
            places[i + 1] += places[i]
        for i in range(n):
            row = rows[i]
            room[places[row >> shift & 511]] = row
            places[row >> shift & 511] += 1
        rows, room, shift = room, rows, shift + 9
    for i in range(n):
        row = rows[i]
        out[kept] = row
        kept += row != before
        before = row
    return kept


def find_ngrams(
    texts, WordIndex index not None, int low, int high, unknown, bint lowercase, bint binary,
    bint grow,
):
    cdef int32_t unknown_row = -1 if unknown is None else unknown, row
    cdef vector[Text] spans
    cdef list owners = read_texts(texts, lowercase, spans, "", " ")
    cdef vector[char] raw
    cdef vector[const char*] starts
    cdef vector[Key] keys
    cdef vector[int32_t] ids, room
    cdef vector[int64_t] offsets
    cdef const char* p
    cdef const char* after
    cdef const char* word
    cdef uint32_t c
    cdef size_t n = 0
    with nogil:
        offsets.push_back(0)
        for span in spans:
            raw.assign(1, 32)  # between spaces, and runs of white space as one
            p = word = span.start
            while p < span.stop:
                after = read(p, &c)
                if is_space(c):
                    if word < p:
                        raw.insert(raw.end(), word, p)
                        raw.push_back(32)
                    word = after
                p = after
            p = raw.data()
            read_ngrams(p, p + (raw.size() if raw.size() > 1 else 0), low, high, starts, keys)
            for key in keys:
                __builtin_prefetch(index.home(key.code))
            ids.resize(n + keys.size())
            room.resize(keys.size())
            for key in keys:
                row = index.add(key, False) if grow else index.slot_of(key).row
                row = row if row >= 0 else unknown_row
                ids[n] = row
                n += row >= 0
            if binary:
                n -= offsets.back()
                n = sort_distinct(ids.data() + offsets.back(), room.data(), n) + offsets.back()
            offsets.push_back(n)
    return (
        array_of(ids.data(), n, INT32),
        array_of(offsets.data(), offsets.size(), INT64),
    )


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
    cdef list owners = read_texts(words, False, spans, "<", ">")
    cdef vector[const char*] starts
    cdef vector[Key] keys
    cdef vector[int32_t] ids
    cdef vector[float] weights
    cdef vector[int64_t] offsets
    cdef size_t n
    with nogil:
        offsets.push_back(0)
        for span in spans:
            n = read_ngrams(span.start, span.stop, low, high, starts, keys)
            if is_crc and not low <= n <= high:
                keys.push_back(key_of(span.start, span.stop))
            for key in keys:
                if is_crc or key.size > 1 or span.start < key.start < span.stop - 1:
                    ids.push_back(hash_of(key, is_crc) % n_rows)
            n = ids.size() - offsets.back()
            weights.resize(ids.size(), factor / pow(n, 0.5 if is_crc else 1))
            offsets.push_back(ids.size())
    return (
        array_of(ids.data(), ids.size(), INT32),
        array_of(offsets.data(), offsets.size(), INT64),
        array_of(weights.data(), weights.size(), FLOAT32),
    )


# Sums and averages of rows ------------------------------------------------------------

cdef void* data_of(array, int itemsize) except? NULL:
    """The numbers of a contiguous array, which the caller keeps; NULL for None."""
    cdef Py_buffer view
    if array is None:
        return NULL
    PyObject_GetBuffer(array, &view, PyBUF_C_CONTIGUOUS)
    PyBuffer_Release(&view)
    if view.itemsize != itemsize:
        raise TypeError(f"Expected numbers of {itemsize} bytes; got {array.dtype}.")
    return view.buf


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

    KERNEL void add(float *__restrict out, const float *__restrict row, float factor, Py_ssize_t n) {
        for (Py_ssize_t j = 0; j < n; j++) out[j] += factor * row[j];
    }
    KERNEL void add_int8(float *__restrict out, const int8_t *__restrict row, float scale,
                         float factor, Py_ssize_t n) {
        for (Py_ssize_t j = 0; j < n; j++) out[j] += factor * (row[j] * scale);
    }
    KERNEL void copy_int8(float *__restrict out, const int8_t *__restrict row, float scale, Py_ssize_t n) {
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
    KERNEL void update(float *__restrict x, const float *__restrict gradient, float *__restrict mean,
                       float *__restrict square, const float *__restrict c, Py_ssize_t n) {
        for (Py_ssize_t j = 0; j < n; j++) {
            float change = c[0] * gradient[j];
            if (mean) change = c[0] * (mean[j] = c[1] * mean[j] + c[2] * gradient[j]);
            if (square) {
                square[j] = c[3] * (square[j] > c[5] ? square[j] : c[5]) + c[4] * gradient[j] * gradient[j];
                change /= sqrtf(square[j]) + c[6];
            }
            x[j] -= change;
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
    void add_int8(float*, const int8_t*, float, float, Py_ssize_t) noexcept nogil
    void copy_int8(float*, const int8_t*, float, Py_ssize_t) noexcept nogil
    void copy_half(float*, const uint16_t*, Py_ssize_t) noexcept nogil
    void update(float*, const float*, float*, float*, const float*, Py_ssize_t) noexcept nogil
    float dot(const float*, const float*, Py_ssize_t) noexcept nogil
    void __builtin_prefetch(const void*) noexcept nogil


cdef struct Table:
    int itemsize  # of float32, float16 or int8
    Py_ssize_t dim
    const char* rows
    const float* scale
    const float* extra


cdef inline void prefetch(const Table& table, int32_t i) noexcept nogil:
    """Ask for a row that is needed soon."""
    cdef Py_ssize_t j = 0
    while i >= 0 and j < table.dim * table.itemsize:
        __builtin_prefetch(table.rows + i * table.dim * table.itemsize + j)
        j += 64


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


cdef int check_rows(
    const int32_t* ids, Py_ssize_t n_ids, Py_ssize_t first, Py_ssize_t stop
) except -1 nogil:
    """Raise an error for an id that is not in a range."""
    cdef Py_ssize_t i
    for i in range(n_ids):
        if not first <= ids[i] < stop:
            with gil:
                raise IndexError(f"No row {ids[i]} among rows {first} to {stop - 1}.")
    return 0


def pool_rows(matrix, scale, extra, ids, offsets, weights, pooling, out):
    if matrix.itemsize == 8:
        return _plain.pool_rows(matrix, scale, extra, ids, offsets, weights, pooling, out)
    cdef Table table
    cdef Py_ssize_t n_tokens = len(ids), n_texts = len(out), text, t
    cdef Py_ssize_t n_rows = len(matrix), n_extra = 0 if extra is None else len(extra)
    cdef const int32_t* tokens = <const int32_t*>data_of(ids, 4)
    cdef const int64_t* bounds = <const int64_t*>data_of(offsets, 8)
    cdef const float* weight = <const float*>data_of(weights, 4)
    cdef float* sums = <float*>data_of(out, 4)
    cdef bint is_mean = pooling == "mean"
    given = np.zeros(n_tokens, np.float32) if pooling == "distinct" else None
    cdef float* shares = <float*>data_of(given, 4)
    cdef vector[float] room
    cdef vector[int32_t] slots
    cdef float factor
    table.itemsize, table.dim = matrix.itemsize, out.shape[1]
    table.rows = <const char*>data_of(matrix, table.itemsize)
    table.scale, table.extra = <const float*>data_of(scale, 4), <const float*>data_of(extra, 4)
    with nogil:
        check_rows(tokens, n_tokens, -n_extra, n_rows)
        room.resize(table.dim)
        for text in range(n_texts):
            if shares:
                average_distinct(
                    table, tokens, bounds[text], bounds[text + 1], weight, shares, sums, room, slots
                )
            for t in range(bounds[text], bounds[text + 1] if not shares else 0):
                if t + 4 < n_tokens:
                    prefetch(table, tokens[t + 4])
                factor = 1 / <float>(bounds[text + 1] - bounds[text]) if is_mean else 1
                if weight:
                    factor *= weight[t]
                if table.itemsize == 1 and tokens[t] >= 0:
                    add_int8(
                        sums, <const int8_t*>table.rows + tokens[t] * table.dim,
                        table.scale[tokens[t]], factor, table.dim,
                    )
                else:
                    add(sums, row_of(table, tokens[t], room.data()), factor, table.dim)
            sums += table.dim
    return given


cdef int average_distinct(
    const Table& table, const int32_t* ids, int64_t start, int64_t stop, const float* weights,
    float* shares, float* out, vector[float]& room, vector[int32_t]& slots,
) except -1 nogil:
    """Add the average of the distinct tokens of one text to `out`, and write their shares."""
    cdef Py_ssize_t dim = table.dim, i, t
    cdef size_t size = 8, slot
    cdef float total = 0, length, along, sign
    cdef float* sums
    cdef vector[const float*] rows
    cdef vector[float] scales
    cdef vector[int32_t] distinct
    while size < <size_t>(2 * (stop - start)):
        size *= 2
    slots.assign(size, -1)
    distinct.reserve(stop - start)
    for t in range(start, stop):
        slot = <uint32_t>ids[t] * 2654435769u >> 7 & (size - 1)
        while slots[slot] >= 0 and ids[slots[slot]] != ids[t]:
            slot = (slot + 1) & (size - 1)
        if slots[slot] < 0:
            slots[slot] = t
            distinct.push_back(t)
    if room.size() < (distinct.size() + 2) * dim:
        room.resize((distinct.size() + 2) * dim)
    sums = room.data()
    memset(sums, 0, 2 * dim * sizeof(float))
    rows.reserve(distinct.size())
    scales.reserve(distinct.size())
    for t in distinct:
        if rows.size() + 2 < distinct.size():
            prefetch(table, ids[distinct[rows.size() + 2]])
        rows.push_back(row_of(table, ids[t], sums + (rows.size() + 2) * dim))
        sign = 1 if not weights else (weights[t] > 0) - (weights[t] < 0)
        scales.push_back(sign / length_of(rows.back(), dim))
        add(sums, rows.back(), scales.back(), dim)
    for i in range(<Py_ssize_t>distinct.size()):
        t = distinct[i]
        length = dot(rows[i], sums, dim) * scales[i]
        shares[t] = 1 / sqrtf(1 if length < 1 else length)
        add(sums + dim, rows[i], shares[t] * weights[t] if weights else shares[t], dim)
    length = length_of(sums + dim, dim)
    for i in range(<Py_ssize_t>distinct.size()):
        t = distinct[i]
        along = dot(rows[i], sums + dim, dim) * scales[i] / length
        shares[t] *= powf((0 if along < 0 else along) + <float>0.3, <float>-0.35)
        total += shares[t]
    for i in range(<Py_ssize_t>distinct.size()):
        t = distinct[i]
        shares[t] /= total
        add(out, rows[i], shares[t] * weights[t] if weights else shares[t], dim)
    return 0


cdef inline float length_of(const float* row, Py_ssize_t dim) noexcept nogil:
    """Of a row, not 0: divided by it, zeros stay so."""
    cdef float square = dot(row, row, dim)
    return sqrtf(1.1754943508222875e-38 if square < 1.1754943508222875e-38 else square)


def add_to_rows(gradient, ids, offsets, weights, pooling, out):
    if gradient.itemsize == 8:
        return _plain.add_to_rows(gradient, ids, offsets, weights, pooling, out)
    cdef Py_ssize_t n_tokens = len(ids), n_texts = len(gradient), n_rows = len(out), dim = out.shape[1]
    cdef Py_ssize_t text, t
    cdef const int32_t* tokens = <const int32_t*>data_of(ids, 4)
    cdef const int64_t* bounds = <const int64_t*>data_of(offsets, 8)
    cdef const float* weight = <const float*>data_of(weights, 4)
    cdef const float* row = <const float*>data_of(gradient, 4)
    cdef float* rows = <float*>data_of(out, 4)
    cdef bint is_mean = pooling == "mean"
    cdef float factor
    with nogil:
        check_rows(tokens, n_tokens, 0, n_rows)
        for text in range(n_texts):
            for t in range(bounds[text], bounds[text + 1]):
                factor = 1 / <float>(bounds[text + 1] - bounds[text]) if is_mean else 1
                if weight:
                    factor *= weight[t]
                if factor:
                    add(rows + tokens[t] * dim, row, factor, dim)
            row += dim


def update_rows(rows, gradient, values, mean, square, anchors, limits, constants):
    cdef Py_ssize_t n = len(gradient), i, j, dim = gradient.size // max(n, 1)
    cdef const int64_t* row = <const int64_t*>data_of(rows, 8)
    cdef const float* of_row = <const float*>data_of(gradient, 4)
    cdef float* x = <float*>data_of(values, 4)
    cdef float* m = <float*>data_of(mean, 4)
    cdef float* s = <float*>data_of(square, 4)
    cdef const float* anchor = <const float*>data_of(anchors, 4)
    cdef const float* limit = <const float*>data_of(limits, 4)
    cdef const float* c = <const float*>data_of(constants, 4)
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
    cdef double* first = <double*>data_of(out, 8)
    cdef double* number = first + len(out)
    cdef Py_ssize_t start, stop = len(line)
    cdef const char* text = line
    cdef int64_t digits, scale, decimals
    cdef char c
    while True:
        while stop and is_blank(text[stop - 1]):
            stop -= 1
        if not stop or number == first:
            return stop if number == first else 0
        number -= 1
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
        number[0] = <double>digits / <double>max(decimals, 1)
        if start and (text[start - 1] == 43 or text[start - 1] == 45):  # +-
            start -= 1
            number[0] *= 44 - text[start]
        # A quotient of exact doubles is rounded once, as by float, which reads others.
        if digits >> 53 or scale == 1 or (start and not is_blank(text[start - 1])):
            while start and not is_blank(text[start - 1]):
                start -= 1
            field = line[start:stop]
            try:
                number[0] = float(b"" if b"_" in field else field)
            except ValueError:
                return 0
        stop = start
