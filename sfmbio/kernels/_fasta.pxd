from libc.stdint cimport int64_t, uint8_t, uint64_t


cdef extern from "fasta/fasta.h" nogil:
    enum:
        SFM_FASTA_PAD
        SFM_FASTA_SKIPPED
        SFM_FASTA_OTHER

    int sfm_fasta_table_fits(const uint8_t *)
    int sfm_is_white(uint8_t)
    int64_t sfm_fasta_line_ends(uint8_t *, int64_t, int *)
    int64_t sfm_fasta_next_header(const uint8_t *, int64_t, int64_t)
    int64_t sfm_fasta_count_lines(const uint8_t *, int64_t)
    void sfm_fasta_first_word(const uint8_t *, int64_t, int64_t *, int64_t *)
    int64_t sfm_fasta_encode(const uint8_t *, const uint8_t *, int64_t, uint8_t *, int64_t *)
    uint64_t sfm_remainder(const uint8_t *, int64_t, uint64_t)
