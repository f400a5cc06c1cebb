// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/data/typing/typed_column.h"
#include "storage/tabular/table_chunk.h"
#include "storage/tf/example_wire.h"
#include "storage/tf/record_blocks.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::data {

/// One column to make of a feature.
struct ExampleColumn
{
    std::string feature;
    std::string as; ///< name in the chunks
    DType dtype = DType::String;
    std::vector<std::string> missingTokens;
    storage::NumberNotation notation; ///< of numbers in texts
    bool isList = false;              ///< known to hold several values
};

/// The rows of a block, and what is wrong with the records that are left out.
struct ParsedExamples
{
    storage::TableChunk chunk;                  ///< with the number of each record (from 1) as line
    std::vector<storage::RecordDamage> damages; ///< bytes that are not a record, checksums
    std::vector<storage::RecordDamage> badRows; ///< records that do not fit the columns
};

/// Makes rows of serialized tf.Example and tf.SequenceExample: a missing feature, or one without
/// values, is a missing cell; several values, or the steps of a sequence, are one text with
/// kListSeparator between them. Features come in nearly the same order in every record of a file,
/// so each is guessed from the one before it and then only compared. Used by one thread.
class ExampleParser
{
public:
    ExampleParser(const std::vector<ExampleColumn>& columns, bool keepOffsets);

    /// `path`: the file's name, for errors.
    ParsedExamples parse(const storage::RecordBlock& block, const std::string& path);

private:
    static constexpr std::uint32_t kUnknown = std::numeric_limits<std::uint32_t>::max();

    /// A feature met so far.
    struct Feature
    {
        std::string name;
        std::string prefix;          ///< of its entry behind the length: key, tag of the value
        std::size_t prefixBytes = 0; ///< without the zeros that fill the last word
        std::uint64_t lastMask = 0;  ///< of the last word
        std::vector<std::uint32_t> columns;
        std::uint32_t next = kUnknown; ///< the feature that followed it last time
        std::uint64_t seen = 0;        ///< number of the record, from 1, that had it last
    };

    bool readRecord(std::string_view record);
    bool readFeatures(std::string_view map);
    const char* takeExpected(const char* entry, const char* end, Feature& feature);
    bool setExpected(const Feature& feature, char kind, const char* value, std::size_t bytes);
    bool readUnexpected(std::string_view& map, std::uint32_t& previous);
    bool readSequence(std::string_view name, std::string_view message);
    std::uint32_t featureOf(std::string_view name);
    bool setList(const Feature& feature, std::span<const storage::WireValues> steps);
    bool appendList(const storage::WireValues& values, std::size_t& count);
    bool note(const Feature& feature, CellFault fault, std::string_view value);
    bool refuse(std::string reason);
    bool startFeature(Feature& feature);
    void finishRow();

    std::vector<ExampleColumn> m_plan;
    bool m_keepOffsets;
    std::vector<TypedColumn> m_columns;
    std::vector<std::uint64_t> m_written; ///< by column: the record that set it last
    std::vector<Feature> m_features;
    std::map<std::string, std::uint32_t, std::less<>> m_byName;
    std::uint32_t m_first = kUnknown; ///< the feature that came first last time
    std::uint64_t m_record = 0;       ///< number of records begun, of all blocks
    std::size_t m_row = 0;
    std::size_t m_set = 0; ///< columns of this row that are set
    std::string m_reason;  ///< what is wrong with this record
    std::string m_list;
};

} // namespace cannery::data
