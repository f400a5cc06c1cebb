// SPDX-License-Identifier: Apache-2.0
#include "core/data/typing/schema_inference.h"

#include "core/base/large_memory.h"
#include "core/base/memory_guard.h"
#include "core/base/utf8.h"
#include "core/data/typing/kind_guess.h"
#include "storage/tabular/csv/csv_scanner.h"
#include "storage/tabular/csv/lines_below.h"
#include "storage/tabular/number_parser.h"
#include "storage/tabular/text_decoder.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <memory_resource>
#include <optional>

namespace cannery::data {

namespace {

using storage::CellSpan;
using storage::CellTable;
using storage::CsvBlock;
using storage::RowFault;
using storage::RowProblem;

constexpr std::size_t kInferenceBlock = 256U << 10U;
constexpr std::size_t kMaxReported = 100;
/// Cells, and the least rows, of a tile in which columns are inspected one after the other.
constexpr std::size_t kTileCells = 2048;
constexpr std::size_t kFewestTileRows = 8;
/// Of the first piece of memory for the lists of all columns.
constexpr std::size_t kMostFirstBytes = 64U << 20U;

/// Reads the rows and keeps the evidence of every column.
class SchemaObserver
{
public:
    SchemaObserver(const storage::CsvFiles& files, const InferenceOptions& options)
        : m_files(files), m_options(options),
          m_lists(std::clamp<std::size_t>(files.columnNames.size() * TypeEvidence::kMostListBytes,
                                          1, kMostFirstBytes),
                  largeMemory())
    {
        m_options.missingTokens.resize(files.columnNames.size());
        m_options.notations.resize(files.columnNames.size(), usualNotation(files.dialect));
        for (const storage::NumberNotation& notation : m_options.notations) {
            m_readers.push_back(
                notation.isPlain() ? nullptr : std::make_unique<storage::NotationReader>(notation));
        }
        m_evidence.reserve(files.columnNames.size());
        m_textFiles.resize(files.columnNames.size());
        for (std::size_t i = 0; i < files.columnNames.size(); ++i) {
            m_evidence.emplace_back(options.kinds, &m_lists);
        }
    }

    Result<bool> observeAll()
    {
        storage::CsvBlockReader reader(m_files, kInferenceBlock);
        CsvBlock block;
        while (!isFull(reader)) {
            CANNERY_TRY_ASSIGN(const bool more, reader.next(block));
            if (!more) {
                m_below.finish();
                return finish(true);
            }
            m_table.clear();
            m_table.columns = m_files.columnNames.size();
            storage::scanCells(block.text(), m_files.dialect, m_table);
            observeBlock(block);
        }
        return finish(false);
    }

    const std::vector<TypeEvidence>& evidence() const { return m_evidence; }
    /// The first text of a column that holds numbers as well.
    std::optional<CellPlace> firstText(std::size_t column) const
    {
        const TypeEvidence& evidence = m_evidence[column];
        if (evidence.texts == 0 || evidence.texts == evidence.values) {
            return std::nullopt;
        }
        return CellPlace{evidence.firstText.text, m_files.paths[m_textFiles[column]],
                         evidence.firstText.line};
    }
    std::uint64_t rows() const { return m_rows; }
    std::uint64_t badRowCount() const { return m_badRowCount; }

private:
    bool isFull(const storage::CsvBlockReader& reader) const
    {
        return reader.bytesRead() >= m_options.maxBytes;
    }

    Result<bool> finish(bool sawAll)
    {
        FingerprintSet spare;
        for (TypeEvidence& evidence : m_evidence) {
            evidence.finish(spare);
        }
        // Only at the end, so that one error can name all bad rows that were met.
        if (m_badRowCount > 0 && m_options.badRows == storage::BadRowPolicy::Fail) {
            return tl::make_unexpected(
                storage::badRowsError(m_badRows, m_badRowCount, sawAll, m_rows));
        }
        return sawAll;
    }

    void observeBlock(const CsvBlock& block)
    {
        const std::size_t rows = m_table.rowCount();
        noteLines(rows, block.firstLine);
        // Notes below the table of the file before, which are never rows.
        if (m_file != block.file) {
            m_notes.clear();
        }
        m_file = block.file;
        const std::size_t notes = holdNotes(rows);
        const std::size_t tile = std::clamp<std::size_t>(
            kTileCells / std::max<std::size_t>(1, m_table.columns), kFewestTileRows, kTileCells);
        for (std::size_t begin = 0; begin < rows; begin += tile) {
            const std::size_t end = std::min(begin + tile, rows);
            for (std::size_t column = 0; column < m_table.columns; ++column) {
                observeColumn(column, begin, end);
            }
        }
        m_rows += rows - notes;
        addFaults();
        noteProblems(block);
    }

    /// Texts in a first column of numbers, each alone in its row, behind the last other row of
    /// their file: notes, which a reader leaves out as lines below the table. Returns how many rows
    /// of the block may be such and are not observed; others that were held before are.
    std::size_t holdNotes(std::size_t rows)
    {
        std::size_t first = rows;
        while (first > 0 && isNote(first - 1)) {
            --first;
        }
        // Something follows the held rows, or they are too many for notes: they are rows after all.
        if (first > 0 || m_notes.size() + rows > storage::LinesBelow::kMostLines) {
            for (const TypeEvidence::Sighting& note : m_notes) {
                m_evidence.front().observe(note.text, std::nullopt, note.line);
                std::for_each(m_evidence.begin() + 1, m_evidence.end(),
                              [](TypeEvidence& evidence) { evidence.observeMissing(); });
            }
            m_rows += m_notes.size();
            m_notes.clear();
        }
        if (rows - first > storage::LinesBelow::kMostLines) {
            return 0;
        }
        for (std::size_t row = first; row < rows; ++row) {
            const std::string_view text =
                m_table.value(m_table.cell(row, 0), m_files.dialect.quote, m_scratch);
            m_notes.push_back({std::string(text), m_lines[row]});
            m_isFaulty[row] = 1;
        }
        return rows - first;
    }

    bool isNote(std::size_t row)
    {
        // Once the column has a text, texts are nothing unusual in it.
        if (!m_table.hasOnlyFirst(row) || m_readers.front() || m_evidence.front().texts > 0) {
            return false;
        }
        double number = 0;
        const std::string_view text =
            m_table.value(m_table.cell(row, 0), m_files.dialect.quote, m_scratch);
        return !mayBeMissing(text, 0) &&
               storage::parseDouble(storage::PaddedText(text).view(), number) ==
                   storage::NumberStatus::NotANumber;
    }

    void noteProblems(const CsvBlock& block)
    {
        std::vector<storage::BadRow> rows;
        for (const RowProblem& problem : m_table.problems) {
            const std::size_t place =
                problem.fault == RowFault::OpenQuote ? problem.at : problem.recordBegin;
            const std::uint64_t at =
                block.firstLine + storage::countLines(m_table.text.substr(0, place));
            rows.push_back(
                storage::badRowOf(problem, {m_files.paths[block.file], at, m_files.columnNames, {}},
                                  block.file, block.offset + problem.recordBegin));
        }
        std::uint64_t count = m_table.problemCount;
        const auto lastRow = m_table.rowBegins.empty()
                                 ? std::nullopt
                                 : std::optional(block.offset + m_table.rowBegins.back());
        m_below.sift(block.file, lastRow, rows, count);
        m_badRowCount += count;
        for (storage::BadRow& row : rows) {
            if (m_badRows.size() < kMaxReported) {
                m_badRows.push_back(std::move(row));
            }
        }
    }

    void noteLines(std::size_t rows, std::uint64_t line)
    {
        m_lines.resize(rows);
        m_isFaulty.assign(rows, 0);
        std::size_t counted = 0;
        for (std::size_t row = 0; row < rows; ++row) {
            const std::size_t begin = m_table.rowBegins[row];
            line += storage::countLines(m_table.text.substr(counted, begin - counted));
            counted = begin;
            m_lines[row] = line;
        }
    }

    /// Some rows of one column: its evidence stays in the nearest cache for all of them.
    void observeColumn(std::size_t column, std::size_t begin, std::size_t end)
    {
        TypeEvidence& evidence = m_evidence[column];
        const bool hadText = evidence.texts > 0;
        for (std::size_t row = begin; row < end; ++row) {
            if (m_isFaulty[row] == 0) {
                observeCell(row, column, evidence);
            }
        }
        if (!hadText && evidence.texts > 0) {
            m_textFiles[column] = m_file;
        }
    }

    void observeCell(std::size_t row, std::size_t column, TypeEvidence& evidence)
    {
        const CellSpan& span = m_table.cell(row, column);
        std::string_view text = m_table.value(span, m_files.dialect.quote, m_scratch);
        if (isMissing(text, column)) {
            evidence.observeMissing();
            return;
        }
        if (m_table.hasHighBytes && !storage::isAscii(text)) {
            if (m_files.dialect.encoding == storage::TextEncoding::Latin1) {
                m_latin = storage::utf8FromLatin1(text);
                text = m_latin;
            } else if (const std::size_t at = findInvalidUtf8(text); at != std::string_view::npos) {
                const auto fault = storage::describeFault(text.substr(at));
                addFault(row, column, fault ? RowFault::InvalidText : RowFault::InvalidUtf8,
                         fault ? *fault : std::string(1, text[at]));
                return;
            }
        }
        // A text that was converted has no padding around it, which the parsers of numbers read. It
        // is not a plain number either.
        const bool isRaw = text.data() == m_table.raw(span).data();
        if (mayBeMissing(text, column)) {
            evidence.observePerhapsMissing(text, m_lines[row]);
        } else if (storage::NotationReader* reader = m_readers[column].get()) {
            evidence.observeWritten(text, *reader, m_lines[row]);
        } else {
            evidence.observe(text, isRaw ? std::optional(text) : std::nullopt, m_lines[row]);
        }
    }

    void addFault(std::size_t row, std::size_t column, RowFault fault, std::string detail)
    {
        m_isFaulty[row] = 1;
        m_faults.push_back({.fault = fault,
                            .recordBegin = m_table.rowBegins[row],
                            .at = m_table.cell(row, column).begin,
                            .column = static_cast<std::uint32_t>(column),
                            .detail = std::move(detail)});
    }

    /// In the order of their rows.
    void addFaults()
    {
        std::sort(m_faults.begin(), m_faults.end(), [](const RowProblem& a, const RowProblem& b) {
            return a.recordBegin < b.recordBegin;
        });
        for (RowProblem& fault : m_faults) {
            m_table.addProblem(std::move(fault));
        }
        m_faults.clear();
    }

    bool isMissing(std::string_view text, std::size_t column) const
    {
        const std::vector<std::string>& tokens = m_options.missingTokens[column];
        return text.empty() || std::find(tokens.begin(), tokens.end(), text) != tokens.end();
    }

    /// Whether numbers are compared with its tokens without the blanks around them.
    bool mayBeMissing(std::string_view text, std::size_t column) const
    {
        const std::vector<std::string>& tokens = m_options.missingTokens[column];
        const std::string_view bare = storage::trimmed(text);
        return std::any_of(tokens.begin(), tokens.end(), [&](const std::string& token) {
            return storage::trimmed(token) == bare;
        });
    }

    const storage::CsvFiles& m_files;
    InferenceOptions m_options;
    std::pmr::monotonic_buffer_resource m_lists; ///< of the columns: all go at once
    std::vector<TypeEvidence> m_evidence;
    std::vector<std::size_t> m_textFiles; ///< of the first text of a column
    std::size_t m_file = 0;               ///< of the block
    CellTable m_table;
    std::vector<std::uint64_t> m_lines;   ///< of the block's rows
    std::vector<std::uint8_t> m_isFaulty; ///< the row is a note, or refused for an earlier column
    std::vector<TypeEvidence::Sighting> m_notes; ///< of the file, that may be below the table
    std::vector<RowProblem> m_faults;            ///< of the block's rows, column by column
    std::string m_scratch;
    std::string m_latin;
    /// Of the columns with numbers in another notation.
    std::vector<std::unique_ptr<storage::NotationReader>> m_readers;
    std::uint64_t m_rows = 0;
    std::uint64_t m_badRowCount = 0;
    std::vector<storage::BadRow> m_badRows;
    storage::LinesBelow m_below;
};

void addWarnings(const TypeEvidence& evidence, ColumnSchema& column)
{
    if (evidence.outOfRange > 0) {
        column.warnings.push_back(fmt::format("column {}: {} values are out of range and read as "
                                              "infinity, the first is {} on line {}",
                                              column.name, evidence.outOfRange,
                                              evidence.firstOutOfRange.text,
                                              evidence.firstOutOfRange.line));
    }
    if (evidence.beyondInt64 > 0) {
        column.warnings.push_back(fmt::format("column {}: {} on line {} does not fit int64",
                                              column.name, evidence.firstBeyondInt64.text,
                                              evidence.firstBeyondInt64.line));
    }
    if (evidence.leadingZeros > 0) {
        column.warnings.push_back(
            fmt::format("column {}: {} numbers begin with 0, as codes and identifiers do",
                        column.name, evidence.leadingZeros));
    }
    if (column.suggestedNotation) {
        column.warnings.push_back(
            fmt::format("column {} holds numbers such as \"{}\": describe them with its "
                        "number_notation, as cannery new does, to read them",
                        column.name, column.notationExample));
    } else if (!column.suggestedMissingTokens.empty() && column.dtype == DType::String) {
        column.warnings.push_back(fmt::format(
            "column {} is text only because of \"{}\" (line {}): name {} as a missing_token to "
            "read "
            "numbers",
            column.name, fmt::join(column.suggestedMissingTokens, "\", \""),
            evidence.firstText.line, column.suggestedMissingTokens.size() == 1 ? "it" : "each"));
    }
    if (!column.notationDoubt.empty()) {
        column.warnings.push_back(fmt::format(
            "column {} {}{}", column.name, column.notationDoubt,
            column.notationChoices.empty() ? "" : ": say how with its number_notation"));
    }
}

/// What would make numbers of the column.
void suggestReading(const TypeEvidence& evidence, bool haveCommas, ColumnSchema& column)
{
    if (column.dtype != DType::String) {
        column.suggestedMissingTokens = evidence.infiniteTexts();
        return;
    }
    NotationFinding found = evidence.notation(haveCommas);
    column.notationDoubt = std::move(found.doubt);
    column.notationChoices = std::move(found.choices);
    if (!found.isNumeric) {
        return;
    }
    column.suggestedMissingTokens = std::move(found.missingTokens);
    const std::vector<std::string>& infinite = evidence.infiniteTexts();
    column.suggestedMissingTokens.insert(column.suggestedMissingTokens.end(), infinite.begin(),
                                         infinite.end());
    const storage::NumberNotation usual{.decimalMark = haveCommas ? ',' : '.'};
    if (found.notation != usual) {
        column.suggestedNotation = std::move(found.notation);
        column.notationExample = std::move(found.example);
    }
}

} // namespace

storage::NumberNotation usualNotation(const storage::CsvDialect& dialect)
{
    return {.decimalMark = dialect.decimalComma ? ',' : '.'};
}

ColumnSchema describeColumn(const TypeEvidence& evidence, const std::string& columnName,
                            std::size_t index, bool haveCommas)
{
    ColumnSchema column;
    column.name = columnName;
    column.index = index;
    column.dtype = evidence.dtype();
    column.reason = evidence.reason();
    column.areCodes = evidence.areCodes();
    column.outOfRange = evidence.outOfRange;
    suggestReading(evidence, haveCommas, column);
    describeValues(evidence, column);
    noteOddNumbers(column);
    addWarnings(evidence, column);
    return column;
}

void noteOddNumbers(ColumnSchema& column)
{
    if (column.nan + column.infinite > 0 && column.dtype != DType::String) {
        column.warnings.push_back(fmt::format(
            "column {} holds {} NaN and {} infinite values; NaN is missing, and so is an infinite "
            "one that a missing_token names",
            column.name, column.nan, column.infinite));
    }
}

void describeValues(const TypeEvidence& evidence, ColumnSchema& column)
{
    column.values = evidence.values;
    column.texts = evidence.texts;
    column.missing = evidence.missing;
    column.nan = evidence.nan;
    column.infinite = evidence.infinite;
    column.distinct = evidence.distinct;
    guessKind(evidence, column);
}

namespace {

/// A number with a decimal comma, if columns are numbers only with it, and none only without.
std::string decimalCommaIn(const std::vector<TypeEvidence>& columns)
{
    std::string example;
    for (const TypeEvidence& evidence : columns) {
        if (evidence.needsPoint()) {
            return {};
        }
        NotationFinding found = evidence.notation(false);
        if (example.empty() && found.isNumeric && found.notation.decimalMark == ',') {
            example = std::move(found.example);
        }
    }
    return example;
}

Result<TableSchema> inferFrom(const storage::CsvFiles& files, const InferenceOptions& options)
{
    SchemaObserver observer(files, options);
    TableSchema schema;
    CANNERY_TRY_ASSIGN(schema.sawAllRows, observer.observeAll());
    schema.rowsSeen = observer.rows();
    for (std::size_t i = 0; i < files.columnNames.size(); ++i) {
        if (!files.columnNames[i].empty()) {
            schema.columns.push_back(describeColumn(observer.evidence()[i], files.columnNames[i], i,
                                                    files.dialect.decimalComma));
            schema.columns.back().firstText = observer.firstText(i);
        } else if (observer.evidence()[i].values > 0) {
            schema.warnings.push_back(
                fmt::format("column {} has values but no name; it is ignored", i + 1));
        }
    }
    // A table that is cut by commas cannot have decimal commas in its cells without quotes.
    if (!files.dialect.decimalComma && files.dialect.delimiter != ',') {
        schema.suggestedDecimalComma = decimalCommaIn(observer.evidence());
    }
    if (observer.badRowCount() > 0) {
        schema.warnings.push_back(fmt::format("{} bad rows are left out", observer.badRowCount()));
    }
    return schema;
}

} // namespace

Result<TableSchema> inferSchema(const storage::CsvFiles& files, const InferenceOptions& options)
{
    return guardMemory(files.paths.front(), [&] { return inferFrom(files, options); });
}

} // namespace cannery::data
