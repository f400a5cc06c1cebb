// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/tables/converted_table.h"

#include "core/data/typing/typed_column.h"
#include "storage/io/atomic_write.h"
#include "storage/io/files.h"
#include "storage/tabular/csv/csv_cell.h"
#include "storage/tabular/number_parser.h"
#include "storage/tf/example_wire.h"
#include "storage/tf/metadata_schema.h"
#include "storage/tf/record_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <string_view>
#include <utility>

namespace cannery::app {

namespace {

constexpr ErrorKind kConvertedExists{"convert.exists",
                                     "{} already exists, and 'cannery convert' never overwrites; "
                                     "give another name."};
constexpr ErrorKind kConvertTo{"command.usage.convert_to",
                               "{} does not say what to write: end its name with .csv, .tfrecord "
                               "or .tfrecord.gz, or name it as "
                               "TFX does, data_tfrecord-00000-of-00001.gz."};
constexpr ErrorKind kNoListElement{
    "convert.no_number", "\"{}\" in a list of column {} is not a number. Read it as text."};

/// A cell as text; empty where it is missing.
void appendCell(const storage::TableColumn& column, std::size_t row, std::string& text)
{
    if (!column.isValid(row)) {
        return;
    }
    std::visit(
        [&](const auto& values) {
            if constexpr (std::is_same_v<std::decay_t<decltype(values)>, StringColumn>) {
                storage::appendCsvCell(values[row], text);
            } else {
                data::appendNumber(text, values[row]);
            }
        },
        column.values);
}

class CsvTable final : public ConvertedTable
{
public:
    CsvTable(storage::AtomicFile file, std::string path)
        : m_file(std::move(file)), m_path(std::move(path))
    {}

    Result<void> begin(const data::TableSchema& schema)
    {
        std::string line;
        for (const data::ColumnSchema& column : schema.columns) {
            line += line.empty() && &column == &schema.columns.front() ? "" : ",";
            storage::appendCsvCell(column.name, line);
        }
        return m_file.append(line + "\n");
    }

    Result<void> append(const storage::TableChunk& chunk) override
    {
        std::string text;
        for (std::size_t row = 0; row < chunk.rows; ++row) {
            const std::size_t begin = text.size();
            for (const storage::TableColumn& column : chunk.columns) {
                if (&column != &chunk.columns.front()) {
                    text += ',';
                }
                appendCell(column, row, text);
            }
            // A line of nothing but delimiters would not be a row.
            if (text.size() - begin + 1 == chunk.columns.size()) {
                text.insert(begin, "\"\"");
            }
            text += '\n';
        }
        return m_file.append(text);
    }

    Result<void> publish() override { return m_file.commit(); }
    std::vector<std::string> files() const override { return {m_path}; }

private:
    storage::AtomicFile m_file;
    std::string m_path;
};

/// The values of a cell that holds a list.
std::vector<std::string_view> piecesOf(std::string_view cell)
{
    std::vector<std::string_view> pieces;
    while (true) {
        const std::size_t end = cell.find(data::kListSeparator);
        pieces.push_back(cell.substr(0, end));
        if (end == std::string_view::npos) {
            return pieces;
        }
        cell.remove_prefix(end + 1);
    }
}

class RecordTable final : public ConvertedTable
{
public:
    RecordTable(storage::RecordWriter records, std::string path, std::string temporary,
                std::string schemaPath, const data::TableSchema& schema)
        : m_records(std::move(records)), m_path(std::move(path)), m_temporary(std::move(temporary)),
          m_schemaPath(std::move(schemaPath)), m_schema(schema), m_order(schema.columns.size()),
          m_present(schema.columns.size()), m_shortened(schema.columns.size())
    {
        // By name: equal examples have equal bytes, whatever the order of the columns.
        std::iota(m_order.begin(), m_order.end(), std::size_t{0});
        std::sort(m_order.begin(), m_order.end(), [&](std::size_t a, std::size_t b) {
            return m_schema.columns[a].name < m_schema.columns[b].name;
        });
    }
    RecordTable(const RecordTable&) = delete;
    RecordTable& operator=(const RecordTable&) = delete;
    ~RecordTable() override
    {
        if (!m_temporary.empty()) {
            static_cast<void>(storage::removeTree(m_temporary));
        }
    }

    Result<void> append(const storage::TableChunk& chunk) override
    {
        for (std::size_t row = 0; row < chunk.rows; ++row) {
            for (const std::size_t index : m_order) {
                if (chunk.columns[index].isValid(row)) {
                    ++m_present[index];
                    CANNERY_TRY(add(index, chunk.columns[index], row));
                }
            }
            CANNERY_TRY(m_records.write(m_example.finish()));
            ++m_rows;
        }
        return {};
    }

    Result<void> publish() override
    {
        // The schema before the records: whoever finds the file of records finds its schema.
        CANNERY_TRY(m_records.sync());
        CANNERY_TRY(m_records.close());
        CANNERY_TRY(
            storage::writeFileAtomically(m_schemaPath, storage::printMetadataSchema(metadata())));
        storage::FileSystem& system = storage::realFileSystem();
        CANNERY_TRY(system.rename(m_temporary, m_path));
        m_temporary.clear();
        return system.syncFolder(storage::parentFolder(m_path));
    }

    std::vector<std::string> files() const override { return {m_path, m_schemaPath}; }

    std::vector<std::string> remarks() const override
    {
        std::vector<std::string> sentences;
        for (std::size_t i = 0; i < m_shortened.size(); ++i) {
            const Shortened& column = m_shortened[i];
            if (column.count > 0) {
                sentences.push_back(fmt::format(
                    "column {}: {} of {} numbers lose digits as float32, the only floating-point "
                    "type of a tf.Example; the first, {}, becomes {}",
                    m_schema.columns[i].name, column.count, m_present[i], column.before,
                    column.after));
            }
        }
        return sentences;
    }

private:
    /// Numbers of a column that float32 cannot hold.
    struct Shortened
    {
        std::uint64_t count = 0;
        std::string before; ///< the first of them
        std::string after;
    };

    // Digits are lost if the shortest text of the float32 is not the number that was read: 0.1
    // loses none, though no float32 equals the double.
    float shortened(std::size_t column, double value)
    {
        const auto narrow = static_cast<float>(value);
        if (static_cast<double>(narrow) == value || std::isnan(value)) {
            return narrow;
        }
        std::string text;
        data::appendNumber(text, narrow);
        double back = 0;
        std::from_chars(text.data(), text.data() + text.size(), back);
        if (back != value && m_shortened[column].count++ == 0) {
            data::appendNumber(m_shortened[column].before, value);
            m_shortened[column].after = text;
        }
        return narrow;
    }

    Result<void> add(std::size_t index, const storage::TableColumn& values, std::size_t row)
    {
        const data::ColumnSchema& column = m_schema.columns[index];
        if (const auto* floats = std::get_if<std::vector<float>>(&values.values)) {
            m_example.addFloats(column.name, {&(*floats)[row], 1});
        } else if (const auto* doubles = std::get_if<std::vector<double>>(&values.values)) {
            const float value = shortened(index, (*doubles)[row]);
            m_example.addFloats(column.name, {&value, 1});
        } else if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&values.values)) {
            m_example.addIntegers(column.name, {&(*integers)[row], 1});
        } else if (column.listOf) {
            return addList(column, values.strings()[row]);
        } else {
            const std::string_view text = values.strings()[row];
            m_example.addTexts(column.name, {&text, 1});
        }
        return {};
    }

    Result<void> addList(const data::ColumnSchema& column, std::string_view cell)
    {
        const std::vector<std::string_view> pieces = piecesOf(cell);
        if (*column.listOf == DType::String) {
            m_example.addTexts(column.name, pieces);
            return {};
        }
        std::vector<float> floats;
        std::vector<std::int64_t> integers;
        for (const std::string_view piece : pieces) {
            const storage::PaddedText padded(piece);
            // A float beyond the range becomes infinite, as in the table's own reader; an integer
            // has no such value.
            const bool isRead =
                isFloating(*column.listOf)
                    ? storage::parseFloat(padded.view(), floats.emplace_back()) !=
                          storage::NumberStatus::NotANumber
                    : storage::parseInteger(padded.view(), integers.emplace_back()) ==
                          storage::NumberStatus::Ok;
            if (!isRead) {
                return fail(ErrorCode::InvalidArgument, kNoListElement, piece, column.name);
            }
        }
        if (isFloating(*column.listOf)) {
            m_example.addFloats(column.name, floats);
        } else {
            m_example.addIntegers(column.name, integers);
        }
        return {};
    }

    storage::MetadataSchema metadata() const
    {
        storage::MetadataSchema metadata;
        for (const std::size_t index : m_order) {
            const data::ColumnSchema& column = m_schema.columns[index];
            const DType dtype = column.listOf.value_or(column.dtype);
            storage::MetadataFeature& feature = metadata.features.emplace_back();
            feature.name = column.name;
            feature.type = dtype == DType::String ? storage::MetadataType::Bytes
                           : isInteger(dtype)     ? storage::MetadataType::Integer
                                                  : storage::MetadataType::Float;
            const bool isAlways = m_rows > 0 && m_present[index] == m_rows;
            feature.minFraction = isAlways ? 1 : 0;
            feature.minCount = m_present[index] > 0 ? 1 : 0;
            if (column.listOf) {
                feature.fewestValues = 1;
            } else if (isAlways) {
                feature.fixedCount = 1;
            } else {
                feature.fewestValues = 1;
                feature.mostValues = 1;
            }
        }
        return metadata;
    }

    storage::RecordWriter m_records;
    std::string m_path;
    std::string m_temporary; ///< empty if there is nothing to delete
    std::string m_schemaPath;
    data::TableSchema m_schema;
    std::vector<std::size_t> m_order; ///< by name
    std::vector<std::uint64_t> m_present;
    std::vector<Shortened> m_shortened; ///< by column
    std::uint64_t m_rows = 0;
    storage::ExampleWriter m_example;
};

Result<void> requireNew(const std::string& file)
{
    return storage::exists(file) ? fail(ErrorCode::AlreadyExists, kConvertedExists, file)
                                 : Result<void>();
}

} // namespace

bool ConvertedTable::areRecords(const std::string& file)
{
    return !file.ends_with(".csv");
}

Result<std::unique_ptr<ConvertedTable>>
ConvertedTable::create(const std::string& file, const std::optional<std::string>& schemaFile,
                       const data::TableSchema& schema)
{
    // Before the first row is read, which may take long.
    CANNERY_TRY(requireNew(file));
    if (!areRecords(file)) {
        CANNERY_TRY(storage::makeFolders(storage::parentFolder(file)));
        CANNERY_TRY_ASSIGN(storage::AtomicFile opened, storage::AtomicFile::create(file));
        auto table = std::make_unique<CsvTable>(std::move(opened), file);
        CANNERY_TRY(table->begin(schema));
        return std::unique_ptr<ConvertedTable>(std::move(table));
    }
    const storage::Compression compression = file.ends_with(".gz")  ? storage::Compression::Gzip
                                             : file.ends_with(".z") ? storage::Compression::Zlib
                                                                    : storage::Compression::None;
    if (storage::baseName(file).find("tfrecord") == std::string::npos) {
        return fail(ErrorCode::InvalidArgument, kConvertTo, file);
    }
    const std::string schemaPath =
        schemaFile.value_or(storage::joinPath(storage::parentFolder(file), "schema.pbtxt"));
    CANNERY_TRY(requireNew(schemaPath));
    CANNERY_TRY(storage::makeFolders(storage::parentFolder(file)));
    CANNERY_TRY(storage::makeFolders(storage::parentFolder(schemaPath)));
    const std::string temporary = storage::temporaryName(file);
    CANNERY_TRY_ASSIGN(storage::RecordWriter records,
                       storage::RecordWriter::create(temporary, compression));
    return std::unique_ptr<ConvertedTable>(
        std::make_unique<RecordTable>(std::move(records), file, temporary, schemaPath, schema));
}

} // namespace cannery::app
