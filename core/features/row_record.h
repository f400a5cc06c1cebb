// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/features/batch_places.h"
#include "core/features/encoded_rows.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cannery::features {

/// One encoded row as a run of 32-bit words:
///
///     floats of every dense block, labels, weights,       (the same number in every row)
///     the example id
///     number of ids of every id block                     (not of a row in short form)
///     number of steps of every sequence
///     ids of every id block, each followed by its weights where the block has them
///     floats of every sequence
///
/// Labels and weights of steps are the last sequences. A row with one id in every block and no
/// sequences has a short form; all such rows have the same length.
class RowRecord
{
public:
    /// Rows that are put together.
    static constexpr std::size_t kMostRows = 32;

    RowRecord() = default;
    /// For the layout, with or without labels and weights.
    RowRecord(const InputLayout& layout, bool hasLabels, bool hasWeights);

    /// Words that every row has: at least one, so that a row without columns has a location too.
    std::size_t fixedWords() const { return std::max<std::size_t>(m_floatWords + countWords(), 1); }
    /// Words of a row in short form; without sequences.
    std::size_t shortWords() const { return m_floatWords + m_idWords; }
    /// Whether rows differ in length.
    bool isVariable() const { return countWords() > 0; }

    /// Appends one row to the words; returns whether it has a short form.
    bool append(const EncodedRows& rows, std::size_t row, std::vector<std::uint32_t>& words);
    /// Converts rows that all have a short form to it, in place.
    void shorten(std::size_t rowCount, std::vector<std::uint32_t>& words) const;

    /// Sizes `out` for this many rows, and reserves space for as many ids as they can have.
    void start(std::size_t rowCount, EncodedRows& out) const;
    /// Puts records at the rows from `row` on; rows are put in order, at most kMostRows at once,
    /// all of one form.
    void put(std::span<const std::uint32_t* const> records, bool isShort, std::size_t row,
             EncodedRows& out) const;
    /// For rows that have a short form only: sizes `out` for this many rows from `row` on, then
    /// puts some of them there, all of one form. Several threads may put rows once the space
    /// exists. `Out`: EncodedRows or const BatchPlaces.
    void startShort(std::size_t count, std::size_t row, EncodedRows& out) const;
    void startShort(std::size_t count, const BatchPlaces& out) const;
    template <typename Out>
    void putShort(std::span<const std::uint32_t* const> records, bool isShort, std::size_t row,
                  Out& out) const;
    /// To be called after the last put.
    void finish(EncodedRows& out) const;

private:
    std::size_t countWords() const { return m_isWeighted.size() + m_steps.size(); }
    std::size_t noteCounts(const EncodedRows& rows, std::size_t row, bool& isShort);
    void startSteps(std::size_t rowCount, EncodedRows& out) const;
    void writeCounted(const EncodedRows& rows, std::size_t row, std::uint32_t* to) const;

    /// A column stored in one word of a record.
    struct Word
    {
        enum class Kind : std::uint8_t
        {
            Part, ///< of a wider column
            Dense,
            Label,
            Weight,
            Id,
            IdWeight,
        };
        Kind kind = Kind::Part;
        std::uint32_t block = 0;
    };
    using Records = std::span<const std::uint32_t* const>;

    /// Words of a record in short form, and how much further on they are in the record.
    struct WordRange
    {
        std::size_t begin = 0;
        std::size_t end = 0;
        std::size_t shift = 0;
    };

    void addWords(Word::Kind kind, std::size_t block, std::int64_t width);
    template <typename Out>
    std::uint32_t* placeOf(const Word& word, std::size_t row, Out& out) const;
    template <typename Out>
    void putWords(Records records, WordRange words, std::size_t row, Out& out) const;
    template <typename Out>
    void putWide(Records records, std::size_t row, Out& out) const;
    using Cursors = std::span<const std::uint32_t*>;
    void putCounted(Records records, std::size_t row, EncodedRows& out) const;
    void putIds(Records records, Cursors cursors, std::size_t row, EncodedRows& out) const;
    void putSteps(Records records, Cursors cursors, std::size_t row, EncodedRows& out) const;

    /// The ids or steps of one block, in all appended rows.
    struct Counts
    {
        std::size_t most = 0; ///< in one row
        std::size_t all = 0;

        void note(std::size_t count)
        {
            most = std::max(most, count);
            all += count;
        }
        /// The most that so many rows can have.
        std::size_t mostOf(std::size_t rows) const { return std::min(rows * most, all); }
    };
    /// A sequence.
    struct Steps
    {
        enum class Kind : std::uint8_t
        {
            Sequence,
            Label,
            Weight,
        };
        Kind kind = Kind::Sequence;
        std::size_t block = 0; ///< of a Sequence
        std::int64_t width = 0;
        Counts counts;
    };
    /// Where the steps of a sequence are in some rows, const or not.
    template <typename Rows>
    static auto& offsetsOf(const Steps& steps, Rows& rows)
    {
        return steps.kind == Steps::Kind::Sequence ? rows.sequences[steps.block].rowOffsets
                                                   : rows.labelOffsets;
    }
    template <typename Rows>
    static auto& valuesOf(const Steps& steps, Rows& rows)
    {
        return steps.kind == Steps::Kind::Sequence ? rows.sequences[steps.block].values
               : steps.kind == Steps::Kind::Label  ? rows.labels
                                                   : rows.weights;
    }

    std::vector<Word> m_words; ///< of a row in short form
    std::vector<std::int64_t> m_denseWidths;
    std::vector<std::uint8_t> m_isWeighted; ///< one per id block
    std::int64_t m_labelWidth = 0;
    std::int64_t m_weightWidth = 0;
    std::size_t m_exampleWords = 0; ///< of the example id
    std::size_t m_floatWords = 0;   ///< of all that every row has but the counts
    std::size_t m_idWords = 0;      ///< of a row in short form
    std::vector<Counts> m_ids;      ///< one per id block
    std::vector<Steps> m_steps;
    std::size_t m_sequences = 0; ///< those of columns; after them, labels and weights of steps
};

} // namespace cannery::features
