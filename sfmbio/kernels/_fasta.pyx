"""The records of FASTA text that comes in blocks, with their sequences as codes."""

import numpy as np

from cpython.bytearray cimport PyByteArray_AS_STRING
from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.string cimport memchr, memcpy, memmove


# What a table says of a byte that stands for no code.
SKIPPED = SFM_FASTA_SKIPPED
OTHER = SFM_FASTA_OTHER


cdef class Records:
    """Iterates over the records of a text, each as its id, header, codes and line.

    A line ends with a line feed, a carriage return, or both. The text begins with a header;
    `peek` and `skip` are there to find it. The id is the header's first word, and the header
    comes without ``>`` and the white space at its end. The codes are empty if the sequence holds
    anything but letters that have a code and bytes that are skipped: `body` then has its bytes.
    The line is that of the header, from 1. Memory holds one block, or the longest record.

    Parameters
    ----------
    readinto : callable
        Fills the start of a buffer, and returns how many bytes it put there; 0 at the end.
    table : bytes of length 256
        What stands for each byte: a code below 128 for letters, in both cases, `SKIPPED`, or
        `OTHER`, as for ``>``.
    block : int
        How many bytes are asked for at a time.

    Attributes
    ----------
    line : int
        Number of the line that comes next.

    Raises
    ------
    ValueError
        If an argument is out of range, or the text begins with anything but a header.
    """

    cdef object readinto
    cdef bytearray text_kept
    cdef bytearray codes_kept
    cdef uint8_t *text
    cdef uint8_t *codes
    cdef int64_t block, capacity, codes_capacity
    # The text not yet used lies from start to end; so much of it holds no second header.
    cdef int64_t start, end, searched
    cdef int64_t body_start, body_length
    cdef int after_return
    cdef bint ended
    cdef uint8_t table[256]
    cdef readonly int64_t line

    def __cinit__(self, readinto, const uint8_t[::1] table, int64_t block):
        if table.shape[0] != 256 or not sfm_fasta_table_fits(&table[0]):
            raise ValueError("table must have 256 bytes, and codes for letters in both cases only")
        if table[c'>'] != SFM_FASTA_OTHER:
            raise ValueError("'>' must have no code")
        if block < 1:
            raise ValueError(f"block must be at least 1, got {block}")
        memcpy(self.table, &table[0], 256)
        self.readinto = readinto
        self.block = block
        self.line = 1
        self.grow(block)
        self.grow_codes(block)

    cdef int grow(self, int64_t capacity) except -1:
        cdef int64_t rest = self.end - self.start
        cdef bytearray text_kept = bytearray(capacity + SFM_FASTA_PAD)
        cdef uint8_t *text = <uint8_t *> PyByteArray_AS_STRING(text_kept)
        if rest:
            memcpy(text, self.text + self.start, rest)
        self.text_kept, self.text, self.capacity = text_kept, text, capacity
        self.start, self.end = 0, rest
        return 0

    cdef int grow_codes(self, int64_t capacity) except -1:
        # The old ones go first; without memory for more there is room for none.
        self.codes_kept, self.codes_capacity = None, -1
        self.codes_kept = bytearray(capacity + SFM_FASTA_PAD)
        self.codes = <uint8_t *> PyByteArray_AS_STRING(self.codes_kept)
        self.codes_capacity = capacity
        return 0

    cdef int fill(self) except -1:
        """Read on; 0 if the text has ended."""
        cdef int64_t rest = self.end - self.start, room, n_read
        if self.ended:
            return 0
        self.body_length = 0
        # Moves less than was used since the last move, so a text is moved once at most.
        if self.start > rest:
            memmove(self.text, self.text + self.start, rest)
            self.start, self.end = 0, rest
        if self.end == self.capacity:
            self.grow(2 * self.capacity)
        room = min(self.block, self.capacity - self.end)
        n_read = self.readinto(memoryview(self.text_kept)[self.end:self.end + room])
        if not 0 <= n_read <= room:
            raise ValueError(f"readinto gave {n_read} bytes, there was room for {room}")
        if n_read == 0:
            self.ended = True
            # As behind any other record.
            self.text[self.end] = c'>'
            return 0
        self.end += sfm_fasta_line_ends(self.text + self.end, n_read, &self.after_return)
        return 1

    def peek(self, int64_t limit):
        """The next line with its end, or so many bytes of it; nothing at the end of the text."""
        cdef int64_t length, looked = 0
        cdef uint8_t *found
        while True:
            length = min(limit, self.end - self.start)
            found = <uint8_t *> memchr(self.text + self.start + looked, c'\n', length - looked)
            if found != NULL:
                length = found + 1 - (self.text + self.start)
                break
            looked = length
            if length == limit or not self.fill():
                break
        return PyBytes_FromStringAndSize(<char *> self.text + self.start, length)

    def skip(self, int64_t length):
        """Go on behind so many bytes, which `peek` has shown."""
        if not 0 <= length <= self.end - self.start:
            raise ValueError(f"there are {self.end - self.start} bytes, not {length}")
        self.line += sfm_fasta_count_lines(self.text + self.start, length)
        self.start += length
        self.searched = 0

    @property
    def body(self):
        """What stands below the latest record's header, each line with its end."""
        return PyBytes_FromStringAndSize(<char *> self.text + self.body_start, self.body_length)

    @property
    def last_line(self):
        """Number of the last line that came whole; a header without a line below does not count."""
        cdef int64_t n_lines = sfm_fasta_count_lines(self.text + self.start, self.end - self.start)
        return self.line - 1 + (n_lines if n_lines > 1 else 0)

    def __iter__(self):
        return self

    def __next__(self):
        cdef int64_t length, header_length, word_start, word_end, n_codes, n_lines, line = self.line
        cdef uint8_t *header
        cdef uint8_t *header_end
        cdef uint8_t *body
        while True:
            length = self.end - self.start
            header = self.text + self.start
            self.searched = sfm_fasta_next_header(header, self.searched, length)
            if self.searched > 0:
                length = self.searched
                break
            self.searched = length
            if not self.fill():
                break
        header = self.text + self.start
        if length == 0:
            raise StopIteration
        if header[0] != c'>':
            raise ValueError("the text must begin with a header")
        header_end = <uint8_t *> memchr(header, c'\n', length)
        if header_end == NULL:
            header_end = body = header + length
        else:
            body = header_end + 1
            self.line += 1
        self.body_start, self.body_length = body - self.text, header + length - body
        if self.body_length > self.codes_capacity:
            self.grow_codes(max(self.body_length, 2 * self.codes_capacity))
        n_codes = sfm_fasta_encode(self.table, body, self.body_length, self.codes, &n_lines)
        if n_codes < 0:
            n_codes, n_lines = 0, sfm_fasta_count_lines(body, self.body_length)
        self.line += n_lines
        self.start += length
        self.searched = 0
        header += 1
        header_length = header_end - header
        while header_length and sfm_is_white(header[header_length - 1]):
            header_length -= 1
        sfm_fasta_first_word(header, header_length, &word_start, &word_end)
        title = PyUnicode_DecodeUTF8(<char *> header, header_length, b"surrogateescape")
        name = title
        if word_end - word_start < header_length:
            name = PyUnicode_DecodeUTF8(<char *> header + word_start, word_end - word_start,
                                        b"surrogateescape")
        return name, title, PyBytes_FromStringAndSize(<char *> self.codes, n_codes), line


def remainders(const uint8_t[::1] lines, Py_ssize_t n_lines, uint64_t modulus):
    """Each line as one number, whose first byte counts least, modulo another.

    Parameters
    ----------
    lines : bytes  # IN
        With a line feed between two lines.
    n_lines : int
    modulus : int

    Returns
    -------
    ndarray of shape (n_lines,), dtype uint64

    Raises
    ------
    ValueError
        If there are more or fewer lines, or the modulus is 0.
    """
    numbers = np.zeros(n_lines, dtype=np.uint64)
    cdef uint64_t[::1] out = numbers
    cdef Py_ssize_t length = lines.shape[0], start = 0, end, number = 0
    if modulus == 0:
        raise ValueError("modulus must not be 0")
    with nogil:
        for end in range(length + 1):
            if end == length or lines[end] == c'\n':
                if number < n_lines:
                    if end > start:
                        out[number] = sfm_remainder(&lines[start], end - start, modulus)
                number += 1
                start = end + 1
    if number != n_lines:
        raise ValueError(f"there are {number} lines, not {n_lines}")
    return numbers
