/* Parts of FASTA text: line ends, records, words of headers, and letters as codes.
 *
 * Reading is a small part of any command's time, so this is plain C, one byte after another.
 *
 * A text stands in a buffer that has SFM_FASTA_PAD bytes beyond it, for the byte that ends a run.
 * A table of 256 bytes gives the code of a letter, SFM_FASTA_SKIPPED for what is passed over, such
 * as a line end, and SFM_FASTA_OTHER for all else.
 */
#ifndef SFM_FASTA_H
#define SFM_FASTA_H

#include "simd/base.h"

#define SFM_FASTA_PAD 1
#define SFM_FASTA_SKIPPED 254
#define SFM_FASTA_OTHER 255

/* Makes \r\n and \r one \n each, in place; returns the new length. Whether a \r stood before the
 * text is told and kept in *after_return, as a text comes in blocks.
 */
static inline int64_t sfm_fasta_line_ends(uint8_t *text, int64_t length, int *after_return)
{
    int64_t from = *after_return && length > 0 && text[0] == '\n', to = 0;
    if (length == 0) {
        return 0;
    }
    *after_return = text[length - 1] == '\r';
    while (from < length) {
        const uint8_t *found = memchr(text + from, '\r', (size_t)(length - from));
        const int64_t part = (found == NULL ? text + length : found) - (text + from);
        if (to != from) {
            memmove(text + to, text + from, (size_t)part);
        }
        to += part;
        from += part;
        if (found != NULL) {
            text[to++] = '\n';
            from += 1 + (from + 1 < length && text[from + 1] == '\n');
        }
    }
    return to;
}

/* Place of the next > that begins a line, at `from` or later and after the first byte; -1 if none
 * does.
 */
static inline int64_t sfm_fasta_next_header(const uint8_t *text, int64_t from, int64_t length)
{
    if (from < 1) {
        from = 1;
    }
    while (from < length) {
        const uint8_t *found = memchr(text + from, '>', (size_t)(length - from));
        if (found == NULL) {
            return -1;
        }
        if (found[-1] == '\n') {
            return found - text;
        }
        from = found - text + 1;
    }
    return -1;
}

static inline int64_t sfm_fasta_count_lines(const uint8_t *text, int64_t length)
{
    const uint8_t *const end = text + length;
    int64_t n_lines = 0;
    while (text < end && (text = memchr(text, '\n', (size_t)(end - text))) != NULL) {
        n_lines += 1;
        text += 1;
    }
    return n_lines;
}

/* White space of ASCII. No other ends a word of a header, as in the formats of this field, so the
 * bytes of other characters stay together.
 */
SFM_INLINE int sfm_is_white(uint8_t byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r') || (byte >= 0x1c && byte <= 0x1f);
}

/* The first word of a header, which has no white space at its end. */
static inline void sfm_fasta_first_word(const uint8_t *header, int64_t length, int64_t *start,
                                        int64_t *end)
{
    int64_t at = 0;
    while (at < length && sfm_is_white(header[at])) {
        at += 1;
    }
    *start = at;
    while (at < length && !sfm_is_white(header[at])) {
        at += 1;
    }
    *end = at;
}

/* Whether a table has codes for bytes 0x40 to 0x7f only, both cases alike. */
static inline int sfm_fasta_table_fits(const uint8_t *table)
{
    for (int byte = 0; byte < 256; ++byte) {
        const int is_letter = byte >= 0x40 && byte < 0x80;
        if (is_letter ? table[byte] != table[byte ^ 0x20] : table[byte] < 0x80) {
            return 0;
        }
    }
    return 1;
}

/* Codes of a sequence's letters; returns how many, or -1 if anything else is met.
 *
 * The byte behind the sequence must be one of SFM_FASTA_OTHER, and `codes` must have room for the
 * sequence. *n_lines is how many line ends were met.
 */
static inline int64_t sfm_fasta_encode(const uint8_t *table, const uint8_t *sequence,
                                       int64_t length, uint8_t *codes, int64_t *n_lines)
{
    int64_t at = 0, n_codes = 0;
    *n_lines = 0;
    for (;;) {
        for (uint8_t code; (code = table[sequence[at]]) < 0x80; ++at) {
            codes[n_codes++] = code;
        }
        if (at == length) {
            return n_codes;
        }
        if (table[sequence[at]] != SFM_FASTA_SKIPPED) {
            return -1;
        }
        *n_lines += sequence[at] == '\n';
        at += 1;
    }
}

/* Bytes, as one number whose first byte counts least, modulo a number. */
static inline uint64_t sfm_remainder(const uint8_t *bytes, int64_t length, uint64_t modulus)
{
    unsigned __int128 rest = 0;
    for (int64_t end = length; end > 0;) {
        /* Whole words, but for the first one taken. */
        const int64_t start = (end - 1) / 8 * 8;
        uint64_t word = 0;
        for (int64_t k = end - 1; k >= start; --k) {
            word = word << 8 | bytes[k];
        }
        rest = (rest << 64 | word) % modulus;
        end = start;
    }
    return (uint64_t)rest;
}

#endif
