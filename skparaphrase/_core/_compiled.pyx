# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# distutils: language=c++
"""What :mod:`skparaphrase._core._plain` does, compiled. It documents each function.

Functions let other threads run: they read str and arrays in place, without the lock.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from cpython.buffer cimport (
    PyBUF_C_CONTIGUOUS, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
)
from cpython.bytearray cimport PyByteArray_FromStringAndSize
from libc.math cimport powf, sqrtf
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcmp, memset
from libcpp cimport bool as cbool
from libcpp.algorithm cimport sort, unique
from libcpp.vector cimport vector

import numpy as np

from skparaphrase._core import _plain

cdef extern from "Python.h" nogil:
    int PyUnicode_KIND(object)
    const void* PyUnicode_DATA(object)
    bint Py_UNICODE_ISALNUM(uint32_t)
    bint Py_UNICODE_ISSPACE(uint32_t)
    uint32_t Py_UNICODE_TOLOWER(uint32_t)

cdef enum:
    SPACE = 1
    WORD = 2  # a character of a word: a letter, a digit or "_"

cdef uint8_t[128] CLASSES
cdef uint32_t[256] CRC
cdef int _i, _bit
for _i in range(128):
    CLASSES[_i] = SPACE * chr(_i).isspace() + WORD * (chr(_i).isalnum() or _i == 95)
for _i in range(256):
    CRC[_i] = _i
    for _bit in range(8):
        CRC[_i] = (CRC[_i] >> 1) ^ (0xEDB88320u if CRC[_i] & 1 else 0)

# Texts --------------------------------------------------------------------------------

cdef struct Text:
    int kind  # bytes of a character
    Py_ssize_t size
    const void* data


cdef list read_texts(texts, bint lowercase, vector[Text]& spans):
    """Where the characters of texts are; the list that is returned owns them."""
    cdef list owners = []
    cdef Text span
    for text in texts:
        if not isinstance(text, str):
            raise TypeError(f"Expected str; got {text!r} ({type(text).__name__}).")
        span.kind = PyUnicode_KIND(text)
        if lowercase and span.kind > 1 and ("\u0130" in <str>text or "\u03a3" in <str>text):
            text = text.lower()  # these depend on their neighbours, or become two
            span.kind = PyUnicode_KIND(text)
        span.size, span.data = len(<str>text), PyUnicode_DATA(text)
        owners.append(text)
        spans.push_back(span)
    return owners


cdef inline uint32_t char_at(const Text& text, Py_ssize_t i, bint lowercase) noexcept nogil:
    cdef uint32_t c
    if text.kind == 1:
        c = (<const uint8_t*>text.data)[i]
    elif text.kind == 2:
        c = (<const uint16_t*>text.data)[i]
    else:
        c = (<const uint32_t*>text.data)[i]
    if not lowercase:
        return c
    if c < 128:
        return c + 32 if 65 <= c <= 90 else c
    return Py_UNICODE_TOLOWER(c)


cdef inline bint is_space(uint32_t c) noexcept nogil:
    return CLASSES[c] == SPACE if c < 128 else Py_UNICODE_ISSPACE(c)


cdef inline bint is_word(uint32_t c) noexcept nogil:
    return CLASSES[c] == WORD if c < 128 else Py_UNICODE_ISALNUM(c)


cdef inline char* write(char* out, uint32_t c) noexcept nogil:
    """Write a character in UTF-8; return the end."""
    if c < 0x80:
        out[0] = c
        return out + 1
    if c < 0x800:
        out[0] = 0xC0 | c >> 6
        out[1] = 0x80 | c & 0x3F
        return out + 2
    if c < 0x10000:
        out[0] = 0xE0 | c >> 12
        out[1] = 0x80 | c >> 6 & 0x3F
        out[2] = 0x80 | c & 0x3F
        return out + 3
    out[0] = 0xF0 | c >> 18
    out[1] = 0x80 | c >> 12 & 0x3F
    out[2] = 0x80 | c >> 6 & 0x3F
    out[3] = 0x80 | c & 0x3F
    return out + 4


# Strings and their rows ---------------------------------------------------------------

cdef struct Slot:
    uint32_t tag  # the upper half of a hash
    int32_t row  # -1: empty


cdef inline uint64_t hash_of(const char* key, const char* stop, uint64_t state) noexcept nogil:
    """FNV-1a of bytes that follow others, whose hash is `state`."""
    while key < stop:
        state = (state ^ <uint8_t>key[0]) * <uint64_t>0x100000001B3
        key += 1
    return state


cdef uint64_t BASIS = 0xCBF29CE484222325


cdef class WordIndex:
    """Rows of strings: a hash table of their UTF-8."""

    cdef vector[Slot] slots
    cdef vector[char] keys  # end to end
    cdef vector[int64_t] ends

    def __init__(self, words=()):
        cdef vector[Text] spans
        cdef vector[char] key
        cdef list owners = read_texts(words, False, spans)
        cdef char* stop
        cdef Py_ssize_t j
        self.ends.push_back(0)
        self.reserve(spans.size())
        for span in spans:
            key.resize(4 * span.size + 1)
            stop = key.data()
            for j in range(span.size):
                stop = write(stop, char_at(span, j, False))
            self.add(key.data(), stop, hash_of(key.data(), stop, BASIS), True)

    cdef int reserve(self, size_t n) except -1 nogil:
        """Make the table at most half full with n strings."""
        cdef size_t size = 64, i
        cdef Slot empty
        cdef vector[Slot] before
        empty.tag, empty.row = 0, -1
        while size < 2 * n:
            size *= 2
        before.swap(self.slots)
        self.slots.assign(size, empty)
        for slot in before:
            if slot.row >= 0:
                i = slot.tag & (size - 1)
                while self.slots[i].row >= 0:
                    i = (i + 1) & (size - 1)
                self.slots[i] = slot
        return 0

    cdef inline Slot* slot_of(self, const char* key, const char* stop, uint64_t state) noexcept nogil:
        """The slot of a string, or the empty one where it belongs."""
        cdef uint32_t tag = <uint32_t>(state ^ state >> 32)
        cdef size_t mask = self.slots.size() - 1, i = tag & mask
        cdef int64_t start
        while self.slots[i].row >= 0:
            if self.slots[i].tag == tag:
                start = self.ends[self.slots[i].row]
                if self.ends[self.slots[i].row + 1] - start == stop - key and not memcmp(
                    self.keys.data() + start, key, stop - key
                ):
                    break
            i = (i + 1) & mask
        return &self.slots[i]

    cdef int32_t add(self, const char* key, const char* stop, uint64_t state, bint again) except -1 nogil:
        """The row of a string, which is new if the string is, or if `again`."""
        cdef Slot* slot = self.slot_of(key, stop, state)
        if slot.row >= 0 and not again:
            return slot.row
        slot.tag, slot.row = <uint32_t>(state ^ state >> 32), self.ends.size() - 1
        self.keys.insert(self.keys.end(), key, stop)
        self.ends.push_back(self.keys.size())
        if 2 * self.ends.size() > self.slots.size():
            self.reserve(2 * self.ends.size())
        return self.ends.size() - 2

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
        cdef const char* start = key
        cdef const char* stop = start + len(key)
        return self.add(start, stop, hash_of(start, stop, BASIS), False)

    def get(self, word, default=None):
        if not isinstance(word, str):
            return default
        cdef bytes key = word.encode("utf-8", "surrogatepass")
        cdef const char* start = key
        cdef const char* stop = start + len(key)
        row = self.slot_of(start, stop, hash_of(start, stop, BASIS)).row
        return default if row < 0 else row

    def words(self):
        """All strings."""
        cdef size_t i
        cdef const char* keys = self.keys.data()
        return [
            keys[self.ends[i]:self.ends[i + 1]].decode("utf-8", "surrogatepass")
            for i in range(self.ends.size() - 1)
        ]


cdef array_of(const void* data, size_t n_bytes, dtype):
    """A copy as an array."""
    return np.frombuffer(PyByteArray_FromStringAndSize(<const char*>data, n_bytes), dtype)


def find_words(
    texts, WordIndex index not None, tokenizer, unknown, bint keep_new, WordIndex new not None
):
    if tokenizer.pattern != "words":
        return _plain.find_words(texts, index, tokenizer, unknown, keep_new, new)
    cdef bint lowercase = tokenizer.lowercase, split = tokenizer.split_compounds
    cdef int32_t unknown_row = -1 if unknown is None else unknown
    cdef vector[Text] spans
    cdef list owners = read_texts(texts, lowercase, spans)
    cdef vector[char] key
    cdef vector[char*] parts  # where the parts of a compound begin, or their joiners
    cdef vector[int32_t] ids
    cdef vector[int64_t] offsets
    cdef Py_ssize_t p, longest = 0
    cdef uint32_t c
    cdef char* stop
    with nogil:
        for span in spans:
            longest = max(longest, span.size)
        key.resize(4 * longest + 1)
        offsets.reserve(spans.size() + 1)
        offsets.push_back(0)
        for span in spans:
            p = 0
            while p < span.size:
                c = char_at(span, p, lowercase)
                p += 1
                if is_space(c):
                    continue
                parts.clear()
                parts.push_back(key.data())
                stop = write(key.data(), c)
                is_run = is_word(c)
                if is_run:
                    while p < span.size:
                        c = char_at(span, p, lowercase)
                        if not is_word(c):
                            if c != 39 and c != 45 and c != 46 or p + 1 == span.size:  # '-.
                                break
                            if not is_word(char_at(span, p + 1, lowercase)):
                                break
                            parts.push_back(stop + 1)
                        stop = write(stop, c)
                        p += 1
                parts.push_back(stop + 1)
                find_token(index, new, parts, is_run, split, unknown_row, keep_new, ids)
            offsets.push_back(ids.size())
    return (
        array_of(ids.data(), 4 * ids.size(), np.int32),
        array_of(offsets.data(), 8 * offsets.size(), np.int64),
    )


cdef inline bint has_letter(const char* key, const char* stop) noexcept nogil:
    """Whether a run of words has a letter or digit, and not only "_" and joiners."""
    while key < stop and (key[0] == 95 or key[0] == 39 or key[0] == 45 or key[0] == 46):
        key += 1
    return key < stop


cdef int find_token(
    WordIndex index, WordIndex new, const vector[char*]& parts, bint is_run, bint split,
    int32_t unknown, bint keep_new, vector[int32_t]& ids,
) except -1 nogil:
    """Append the rows of a token, or of its parts.

    A part begins at each place of `parts` and ends one byte before the next. `is_run`:
    whether the token is made of words, and no other character.
    """
    cdef char* start = parts.front()
    cdef char* stop = parts.back() - 1
    cdef uint64_t state = hash_of(start, stop, BASIS)
    cdef int32_t row = index.slot_of(start, stop, state).row
    cdef size_t i, n_parts = parts.size() - 1
    cdef bint is_known = False
    if row < 0 and split and n_parts > 1:
        for i in range(n_parts):
            start, stop = parts[i], parts[i + 1] - 1
            is_known |= index.slot_of(start, stop, hash_of(start, stop, BASIS)).row >= 0
    if is_known:
        for i in range(n_parts):
            start, stop = parts[i], parts[i + 1] - 1
            state = hash_of(start, stop, BASIS)
            row = index.slot_of(start, stop, state).row
            if row < 0 and keep_new and has_letter(start, stop):
                ids.push_back(-1 - new.add(start, stop, state, False))
            elif row >= 0:
                ids.push_back(row)
    elif row >= 0 or unknown >= 0:
        ids.push_back(row if row >= 0 else unknown)
    elif is_run and has_letter(parts.front(), parts.back() - 1):
        ids.push_back(-1 - new.add(parts.front(), parts.back() - 1, state, False))
    return 0


# Character n-grams --------------------------------------------------------------------

cdef int prepare(
    const Text& text, bint lowercase, vector[char]& raw, vector[int32_t]& starts
) except -1 nogil:
    """A text in UTF-8 between spaces, runs of white space as one, and its characters.

    A blank text has none.
    """
    cdef Py_ssize_t i
    cdef uint32_t c
    cdef char* begin
    cdef char* stop
    cdef bint after_space = True
    raw.resize(4 * text.size + 3)
    begin = raw.data()
    starts.clear()
    starts.push_back(0)
    stop = write(begin, 32)
    for i in range(text.size):
        c = char_at(text, i, lowercase)
        if is_space(c):
            if after_space:
                continue
            c = 32
        after_space = c == 32
        starts.push_back(stop - begin)
        stop = write(stop, c)
    if not after_space:
        starts.push_back(stop - begin)
        stop = write(stop, 32)
    if starts.size() > 1:
        starts.push_back(stop - begin)
    return 0


def find_ngrams(
    texts, WordIndex index not None, int low, int high, unknown, bint lowercase, bint binary
):
    cdef int32_t unknown_row = -1 if unknown is None else unknown, row
    cdef vector[Text] spans
    cdef list owners = read_texts(texts, lowercase, spans)
    cdef vector[char] raw
    cdef vector[int32_t] starts, ids
    cdef vector[int64_t] offsets
    cdef int n_chars, i, order
    cdef uint64_t state
    with nogil:
        offsets.push_back(0)
        for span in spans:
            prepare(span, lowercase, raw, starts)
            n_chars = starts.size() - 1
            for i in range(n_chars):
                state = BASIS
                for order in range(1, min(high, n_chars - i) + 1):
                    state = hash_of(
                        raw.data() + starts[i + order - 1], raw.data() + starts[i + order], state
                    )
                    if order >= low:
                        row = index.slot_of(
                            raw.data() + starts[i], raw.data() + starts[i + order], state
                        ).row
                        if row >= 0 or unknown_row >= 0:
                            ids.push_back(row if row >= 0 else unknown_row)
            if binary:
                sort(ids.begin() + offsets.back(), ids.end())
                ids.erase(unique(ids.begin() + offsets.back(), ids.end()), ids.end())
            offsets.push_back(ids.size())
    return (
        array_of(ids.data(), 4 * ids.size(), np.int32),
        array_of(offsets.data(), 8 * offsets.size(), np.int64),
    )


def count_ngrams(texts, int low, int high, bint lowercase, int64_t min_count):
    cdef WordIndex index = WordIndex()
    cdef vector[int64_t] counts
    cdef vector[Text] spans
    cdef vector[char] raw
    cdef vector[int32_t] starts
    cdef int n_chars, i, order
    cdef size_t row
    cdef uint64_t state
    for text in texts:
        spans.clear()
        owners = read_texts((text,), lowercase, spans)
        with nogil:
            prepare(spans[0], lowercase, raw, starts)
            n_chars = starts.size() - 1
            for i in range(n_chars):
                state = BASIS
                for order in range(1, min(high, n_chars - i) + 1):
                    state = hash_of(
                        raw.data() + starts[i + order - 1], raw.data() + starts[i + order], state
                    )
                    if order >= low:
                        row = index.add(
                            raw.data() + starts[i], raw.data() + starts[i + order], state, False
                        )
                        if row == counts.size():
                            counts.push_back(0)
                        counts[row] += 1
    n_counts = array_of(counts.data(), 8 * counts.size(), np.int64)
    often = np.flatnonzero(n_counts >= min_count)
    words = index.words()
    return [words[row] for row in often.tolist()], n_counts[often]


def hash_ngrams(words, int low, int high, kind):
    cdef bint is_crc = kind == "crc32"
    cdef vector[Text] spans
    cdef list owners = read_texts(words, False, spans)
    cdef vector[char] raw
    cdef vector[int32_t] starts
    cdef vector[uint32_t] hashes
    cdef vector[int64_t] lengths
    cdef int n_chars, i, order
    cdef size_t before
    cdef uint32_t state, whole = 0
    cdef int j
    cdef char* stop
    with nogil:
        for span in spans:
            raw.resize(4 * span.size + 2)
            starts.clear()
            starts.push_back(0)
            stop = write(raw.data(), 60)  # <
            for i in range(span.size):
                starts.push_back(stop - raw.data())
                stop = write(stop, char_at(span, i, False))
            starts.push_back(stop - raw.data())
            stop = write(stop, 62)  # >
            starts.push_back(stop - raw.data())
            n_chars, before = span.size + 2, hashes.size()
            for i in range(n_chars):
                state = 0xFFFFFFFF if is_crc else 2166136261
                for order in range(1, n_chars - i + 1):
                    if order > high and (i or not is_crc):
                        break
                    for j in range(starts[i + order - 1], starts[i + order]):
                        if is_crc:
                            state = CRC[(state ^ raw[j]) & 0xFF] ^ (state >> 8)
                        else:
                            state = (state ^ <uint32_t><int8_t>raw[j]) * 16777619
                    if low <= order <= high and (
                        is_crc or order > 1 or 0 < i < n_chars - 1
                    ):
                        hashes.push_back(~state if is_crc else state)
                if i == 0:
                    whole = ~state
            if is_crc and not low <= n_chars <= high:
                hashes.push_back(whole)
            lengths.push_back(hashes.size() - before)
    return (
        array_of(hashes.data(), 4 * hashes.size(), np.uint32),
        array_of(lengths.data(), 8 * lengths.size(), np.int64),
    )


# Sums and averages of rows ------------------------------------------------------------

cdef class Buffer:
    """The numbers of a contiguous array."""

    cdef Py_buffer view
    cdef bint is_open

    def __cinit__(self, array, int itemsize, bint writable=False):
        flags = PyBUF_C_CONTIGUOUS | (PyBUF_WRITABLE if writable else 0)
        PyObject_GetBuffer(array, &self.view, flags)
        self.is_open = True
        if itemsize and self.view.itemsize != itemsize:
            raise TypeError(f"Expected numbers of {itemsize} bytes; got {array.dtype}.")

    def __dealloc__(self):
        if self.is_open:
            PyBuffer_Release(&self.view)


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
    KERNEL void copy(float *out, const float *row, float factor, Py_ssize_t n) {
        for (Py_ssize_t j = 0; j < n; j++) out[j] = row[j] * factor;
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
    void copy(float*, const float*, float, Py_ssize_t) noexcept nogil
    void copy_int8(float*, const int8_t*, float, Py_ssize_t) noexcept nogil
    void copy_half(float*, const uint16_t*, Py_ssize_t) noexcept nogil
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
    cdef Buffer rows = Buffer(matrix, 0), at = Buffer(ids, 4), of = Buffer(offsets, 8)
    cdef Buffer to = Buffer(out, 4, True), scales, others, factors, kept
    cdef Table table
    cdef const int32_t* tokens = <const int32_t*>at.view.buf
    cdef const int64_t* bounds = <const int64_t*>of.view.buf
    cdef float* sums = <float*>to.view.buf
    cdef const float* weight = NULL
    cdef float* shares = NULL
    cdef Py_ssize_t n_texts = of.view.len // 8 - 1, i, n_rows = len(matrix), n_extra = 0
    cdef int64_t start, stop, t, n_tokens = at.view.len // 4
    cdef const char* row
    cdef bint is_mean = pooling == "mean", is_distinct = pooling == "distinct"
    cdef vector[float] room, scratch
    cdef vector[int32_t] slots, distinct
    cdef float factor
    table.itemsize, table.dim = rows.view.itemsize, out.shape[1]
    table.rows = <const char*>rows.view.buf
    table.scale = table.extra = <const float*>0
    if scale is not None:
        scales = Buffer(scale, 4)
        table.scale = <const float*>scales.view.buf
    if extra is not None:
        others, n_extra = Buffer(extra, 4), len(extra)
        table.extra = <const float*>others.view.buf
    if weights is not None:
        factors = Buffer(weights, 4)
        weight = <const float*>factors.view.buf
    given = np.zeros(n_tokens, np.float32) if is_distinct else None
    if is_distinct:
        kept = Buffer(given, 4, True)
        shares = <float*>kept.view.buf
    with nogil:
        check_rows(tokens, n_tokens, -n_extra, n_rows)
        room.resize(table.dim)
        for i in range(n_texts):
            start, stop = bounds[i], bounds[i + 1]
            if is_distinct:
                average_distinct(table, tokens, start, stop, weight, shares, sums + i * table.dim, scratch, slots, distinct)
                continue
            for t in range(start, stop):
                if t + 4 < n_tokens:
                    prefetch(table, tokens[t + 4])
                factor = 1 / <float>(stop - start) if is_mean else 1
                if weight:
                    factor *= weight[t]
                if table.itemsize == 1 and tokens[t] >= 0:
                    row = table.rows + tokens[t] * table.dim
                    add_int8(sums + i * table.dim, <const int8_t*>row, table.scale[tokens[t]], factor, table.dim)
                else:
                    add(sums + i * table.dim, row_of(table, tokens[t], room.data()), factor, table.dim)
    return given


cdef int average_distinct(
    const Table& table, const int32_t* ids, int64_t start, int64_t stop, const float* weights,
    float* shares, float* out, vector[float]& scratch, vector[int32_t]& slots,
    vector[int32_t]& distinct,
) except -1 nogil:
    """Add the average of the distinct tokens of one text to `out`."""
    cdef Py_ssize_t dim = table.dim, n, i, t
    cdef size_t size = 8, slot
    cdef float TINY = 1.1754943508222875e-38, total = 0, length, along
    cdef const float* row
    cdef float* room
    cdef vector[const float*] rows
    cdef vector[float] scales
    while size < 2 * (stop - start):
        size *= 2
    slots.assign(size, -1)
    distinct.clear()
    for t in range(start, stop):
        slot = <uint32_t>ids[t] * 2654435769u >> 7 & (size - 1)
        while slots[slot] >= 0 and ids[slots[slot]] != ids[t]:
            slot = (slot + 1) & (size - 1)
        if slots[slot] < 0:
            slots[slot] = t
            distinct.push_back(t)
    n = distinct.size()
    if scratch.size() < <size_t>((n + 2) * dim):
        scratch.resize((n + 2) * dim)
    memset(scratch.data(), 0, 2 * dim * sizeof(float))
    for i in range(n):
        t = distinct[i]
        room = scratch.data() + (i + 2) * dim
        if i + 4 < n:
            prefetch(table, ids[distinct[i + 4]])
        row = row_of(table, ids[t], room)
        if weights:
            copy(room, row, weights[t], dim)  # may be in place
            row = room
        rows.push_back(row)
        scales.push_back(1 / sqrtf(max(dot(row, row, dim), TINY)))
        add(scratch.data(), row, scales[i], dim)
    for i in range(n):
        length = dot(rows[i], scratch.data(), dim) * scales[i]
        shares[distinct[i]] = 1 / sqrtf(1 if length < 1 else length)
        add(scratch.data() + dim, rows[i], shares[distinct[i]], dim)
    length = sqrtf(max(dot(scratch.data() + dim, scratch.data() + dim, dim), TINY))
    for i in range(n):
        along = dot(rows[i], scratch.data() + dim, dim) * scales[i] / length
        shares[distinct[i]] *= powf((0 if along < 0 else along) + <float>0.3, <float>-0.35)
        total += shares[distinct[i]]
    for i in range(n):
        shares[distinct[i]] /= total
        add(out, rows[i], shares[distinct[i]], dim)
    return 0


def add_to_rows(gradient, ids, offsets, weights, pooling, out):
    if gradient.itemsize == 8:
        return _plain.add_to_rows(gradient, ids, offsets, weights, pooling, out)
    cdef Buffer of_texts = Buffer(gradient, 4), at = Buffer(ids, 4), of = Buffer(offsets, 8)
    cdef Buffer to = Buffer(out, 4, True), factors
    cdef const int32_t* tokens = <const int32_t*>at.view.buf
    cdef const int64_t* bounds = <const int64_t*>of.view.buf
    cdef const float* weight = NULL
    cdef float* rows = <float*>to.view.buf
    cdef Py_ssize_t i, t, dim = out.shape[1], n_texts = len(offsets) - 1, n_rows = len(out)
    cdef bint is_mean = pooling == "mean"
    cdef float factor
    if weights is not None:
        factors = Buffer(weights, 4)
        weight = <const float*>factors.view.buf
    with nogil:
        check_rows(tokens, at.view.len // 4, 0, n_rows)
        for i in range(n_texts):
            for t in range(bounds[i], bounds[i + 1]):
                factor = 1 / <float>(bounds[i + 1] - bounds[i]) if is_mean else 1
                if weight:
                    factor *= weight[t]
                if factor:
                    add(rows + tokens[t] * dim, <float*>of_texts.view.buf + i * dim, factor, dim)


# Numbers ------------------------------------------------------------------------------

cdef inline bint is_blank(char c) noexcept nogil:
    return c == 32 or 9 <= c <= 13


def parse_numbers(bytes line not None, out):
    cdef Buffer numbers = Buffer(out, 8, True)
    cdef double* number = <double*>numbers.view.buf + numbers.view.len // 8
    cdef Py_ssize_t start, stop = len(line)
    cdef const char* text = line
    cdef int64_t digits, scale, decimals
    cdef char c
    while True:
        while stop and is_blank(text[stop - 1]):
            stop -= 1
        if not stop or number == numbers.view.buf:
            return stop if number == numbers.view.buf else 0
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
