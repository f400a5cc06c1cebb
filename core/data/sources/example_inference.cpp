// SPDX-License-Identifier: Apache-2.0
#include "core/data/sources/example_inference.h"

#include "core/base/memory_guard.h"
#include "core/base/utf8.h"
#include "core/data/typing/schema_inference.h"
#include "core/data/typing/type_evidence.h"
#include "core/data/typing/typed_column.h"
#include "storage/tabular/number_parser.h"
#include "storage/tf/example_wire.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <map>
#include <span>
#include <utility>

namespace cannery::data {

namespace {

using storage::RecordBlock;
using storage::WireKind;
using storage::WireValues;

constexpr ErrorKind kNotAnExample{
    "tfrecord.not_an_example",
    "{}: record {} is not a serialized tf.Example or tf.SequenceExample. Write the rows with "
    "tf.train.Example, or set bad_rows to SKIP to leave it out."};
constexpr ErrorKind kNoRecords{"tfrecord.no_records",
                               "{} holds no records. Name a file that has at least one."};
constexpr ErrorKind kNoFeatures{"tfrecord.no_features",
                                "The records of {} have no feature that can be read as a column. "
                                "Name files of tf.Example with numbers or texts."};
constexpr ErrorKind kTooManyFeatures{
    "tfrecord.too_many_features",
    "The records of {} have more than {} features. Write wide rows as lists of values."};
constexpr std::size_t kInferredBlock = 256U << 10U;
constexpr std::size_t kMostFeatures = 65536;

/// What the records have shown of one feature.
struct FeatureEvidence
{
    TypeEvidence types;
    bool hasBytes = false;
    bool hasFloats = false;
    bool hasIntegers = false;
    bool isSequence = false;
    std::uint64_t notText = 0; ///< values that are bytes, but no text
    std::uint64_t present = 0; ///< records with at least one value
    std::uint64_t fewest = 0;  ///< values of a record that has any
    std::uint64_t most = 0;
    /// The feature that followed it last time, as in nearly every record; null at first.
    std::pair<const std::string, FeatureEvidence>* next = nullptr;

    bool isList() const { return isSequence || most > 1; }
    DType dtype() const
    {
        // One kind of value in one record makes the feature of that kind in all.
        return hasBytes ? DType::String : hasFloats ? DType::Float32 : DType::Int64;
    }
};

/// Whether a record can be read to its end.
bool isExample(std::string_view record)
{
    const auto pass = [](auto&&) {};
    const auto isReadable = [&](const WireValues& values) {
        switch (values.kind) {
        case WireKind::None:
            return true;
        case WireKind::Bytes:
            return storage::eachText(values.list, pass);
        case WireKind::Floats:
            return storage::eachFloat(values.list, pass);
        case WireKind::Integers:
            return storage::eachInteger(values.list, pass);
        }
        return false;
    };
    storage::WireExample example;
    return storage::readExample(record, example) &&
           storage::eachFeature(
               example.features,
               [&](std::string_view, const WireValues& values) { return isReadable(values); }) &&
           storage::eachFeatureList(example.featureLists,
                                    [&](std::string_view, std::string_view message) {
                                        return storage::eachStep(message, isReadable);
                                    });
}

using Evidences = std::map<std::string, FeatureEvidence, std::less<>>;
using NamedEvidence = Evidences::value_type;

/// Keeps the evidence of every feature.
class ExampleObserver
{
public:
    explicit ExampleObserver(ColumnKinds kinds) : m_kinds(kinds) {}

    /// False if the record is not a tf.Example.
    bool observe(std::string_view record)
    {
        // Before anything of it is noted: a record that breaks off within a feature is left out as
        // a whole.
        if (!isExample(record)) {
            return false;
        }
        ++m_rows;
        // Nothing is expected before the first feature.
        m_previous = nullptr;
        storage::WireExample example;
        return storage::readExample(record, example) &&
               storage::eachFeature(example.features,
                                    [&](std::string_view name, const WireValues& values) {
                                        return observeFeature(name, {&values, 1}, false);
                                    }) &&
               storage::eachFeatureList(example.featureLists,
                                        [&](std::string_view name, std::string_view message) {
                                            std::vector<WireValues> steps;
                                            return storage::eachStep(message,
                                                                     [&](const WireValues& step) {
                                                                         steps.push_back(step);
                                                                         return true;
                                                                     }) &&
                                                   observeFeature(name, steps, true);
                                        });
    }

    // Records that were left out do not count.
    std::uint64_t rows() const { return m_rows; }
    Evidences& evidences() { return m_evidences; }

private:
    bool observeFeature(std::string_view name, std::span<const WireValues> steps, bool isSequence)
    {
        NamedEvidence* found = evidenceOf(name);
        if (found == nullptr) {
            // Not a broken record: schemaOf() reports that there are too many features.
            return true;
        }
        // A feature seen as a sequence once is one.
        FeatureEvidence& evidence = found->second;
        evidence.isSequence = evidence.isSequence || isSequence;
        m_text.clear();
        std::uint64_t count = 0;
        for (const WireValues& values : steps) {
            if (!appendValues(values, evidence, count)) {
                return false;
            }
        }
        if (count > 0) {
            ++evidence.present;
            // The first record with a value sets both.
            evidence.fewest = evidence.present == 1 ? count : std::min(evidence.fewest, count);
            evidence.most = std::max(evidence.most, count);
            if (count == 1 && !evidence.hasBytes) {
                evidence.types.observe(m_text, storage::PaddedText(m_text).view(), m_rows);
            } else {
                // A list, or bytes, is a text even if it looks like a number: its type is known.
                evidence.types.observe(m_text, std::nullopt, m_rows);
            }
        }
        return true;
    }

    /// Null if there are too many features.
    NamedEvidence* evidenceOf(std::string_view name)
    {
        // Records of one writer have their features in the same order, so the next name is usually
        // known.
        NamedEvidence*& expected = m_previous == nullptr ? m_first : m_previous->second.next;
        // Only a change of order costs a look-up.
        if (expected == nullptr || expected->first != name) {
            auto found = m_evidences.find(name);
            if (found == m_evidences.end()) {
                // One more than the limit is kept, so that schemaOf() can see that it is exceeded.
                if (m_evidences.size() > kMostFeatures) {
                    return nullptr;
                }
                found =
                    m_evidences
                        .emplace(std::string(name), FeatureEvidence{.types = TypeEvidence(m_kinds)})
                        .first;
            }
            expected = &*found;
        }
        m_previous = expected;
        return m_previous;
    }

    bool appendValues(const WireValues& values, FeatureEvidence& evidence, std::uint64_t& count)
    {
        const auto separate = [&] {
            if (count++ > 0) {
                m_text.push_back(kListSeparator);
            }
        };
        const auto number = [&](auto value) {
            separate();
            appendNumber(m_text, value);
        };
        switch (values.kind) {
        case WireKind::None:
            return true;
        case WireKind::Bytes:
            evidence.hasBytes = true;
            return storage::eachText(values.list, [&](std::string_view text) {
                separate();
                m_text.append(text);
                // A text with a zero byte could not be shown, or written as CSV.
                const bool isText = isUtf8(text) && text.find('\0') == std::string_view::npos;
                evidence.notText += isText ? 0 : 1;
            });
        case WireKind::Floats:
            evidence.hasFloats = true;
            return storage::eachFloat(values.list, number);
        case WireKind::Integers:
            evidence.hasIntegers = true;
            return storage::eachInteger(values.list, number);
        }
        return false;
    }

    ColumnKinds m_kinds;
    Evidences m_evidences;               ///< its elements stay where they are
    NamedEvidence* m_first = nullptr;    ///< that began a record last time
    NamedEvidence* m_previous = nullptr; ///< of this record; null at its beginning
    std::uint64_t m_rows = 0;
    std::string m_text;
};

std::string kindWord(const FeatureEvidence& evidence)
{
    const std::string integers = evidence.hasIntegers ? "int64" : "";
    const std::string floats = evidence.hasFloats ? "float" : "";
    std::string words = integers;
    words += !words.empty() && !floats.empty() ? " and " : "";
    words += floats;
    words += !words.empty() && evidence.hasBytes ? " and " : "";
    return words + (evidence.hasBytes ? "bytes" : "");
}

ColumnSchema columnOf(const std::string& name, FeatureEvidence& evidence, std::uint64_t rows,
                      std::size_t index, FingerprintSet& spare)
{
    ColumnSchema column{.name = name, .index = index};
    // A feature that a record lacks was never observed: its missing values are counted here.
    evidence.types.missing = rows - evidence.present;
    evidence.types.finish(spare);
    column.suggestedMissingTokens = evidence.types.infiniteTexts();
    column.dtype = evidence.dtype();
    column.reason = fmt::format("one {} per record", kindWord(evidence));
    // Lists become texts with separators, which a feature can split.
    if (evidence.isList()) {
        column.listOf = column.dtype;
        column.dtype = DType::String;
        column.reason = fmt::format("lists of {} to {} {} values", evidence.fewest, evidence.most,
                                    kindWord(evidence));
    }
    describeValues(evidence.types, column);
    // Lists are read as ids of categories, whatever their texts look like.
    if (column.listOf && evidence.present > 0) {
        column.kind = ColumnKind::Category;
        column.kindReason = column.reason;
    }
    noteOddNumbers(column);
    return column;
}

Result<TableSchema> schemaOf(const RecordFiles& files, ExampleObserver& observer)
{
    TableSchema schema;
    FingerprintSet spare;
    schema.rowsSeen = observer.rows();
    if (observer.evidences().size() > kMostFeatures) {
        return fail(ErrorCode::ResourceExhausted, kTooManyFeatures, files.paths.front(),
                    // Beyond this, the features are most likely values that were used as names.
                    kMostFeatures);
    }
    // In the order of names, as the map has it: records have no order of columns.
    for (auto& [name, evidence] : observer.evidences()) {
        // Such features are named in a warning, so that nobody looks for them.
        if (evidence.notText > 0 || !isUtf8(name) || name.empty()) {
            schema.warnings.push_back(
                evidence.notText > 0
                    ? fmt::format("feature {} holds bytes that are no text; it is left out",
                                  toUtf8(name))
                    : fmt::format("a feature whose name is \"{}\" is left out", toUtf8(name)));
            continue;
        }
        schema.columns.push_back(
            columnOf(name, evidence, observer.rows(), schema.columns.size(), spare));
    }
    return schema;
}

Result<TableSchema> inferFrom(const RecordFiles& files, const ExampleInferenceOptions& options)
{
    RecordFileReader reader(files);
    ExampleObserver observer(options.kinds);
    RecordBlock block;
    std::uint64_t leftOut = 0;
    bool sawAll = false;
    // By bytes: records may be large.
    const auto isFull = [&] { return reader.bytesRead() >= options.maxBytes; };
    while (!isFull()) {
        CANNERY_TRY_ASSIGN(const bool isThere, reader.next(block, kInferredBlock));
        if (!isThere) {
            sawAll = true;
            break;
        }
        std::vector<storage::RecordDamage> damages = block.damages;
        for (const RecordBlock::Frame& frame : block.frames) {
            // Damage is found record by record, by the checksum.
            if (!block.isSound(frame)) {
                damages.push_back(storage::contentDamage(files.paths[block.file], block, frame));
            } else if (!observer.observe(block.payload(frame))) {
                if (!options.skipBadRecords) {
                    return fail(ErrorCode::InvalidArgument, kNotAnExample, files.paths[block.file],
                                frame.record + 1);
                }
                ++leftOut;
            }
        }
        // Damage of the file is a policy of its own, `corrupt`, apart from records that are no
        // examples.
        if (!damages.empty() && !options.skipDamages) {
            return tl::make_unexpected(withSkipHint(std::move(damages.front().error)));
        }
        leftOut += damages.size();
    }
    CANNERY_TRY_ASSIGN(TableSchema schema, schemaOf(files, observer));
    schema.sawAllRows = sawAll;
    // One sentence for all of them.
    if (leftOut > 0) {
        schema.warnings.push_back(fmt::format("{} bad records are left out", leftOut));
    }
    if (schema.columns.empty()) {
        // No record, or none with a feature: two mistakes with different cures.
        return observer.rows() == 0
                   ? fail(ErrorCode::InvalidArgument, kNoRecords, files.paths.front())
                   : fail(ErrorCode::InvalidArgument, kNoFeatures, files.paths.front());
    }
    return schema;
}

} // namespace

Result<TableSchema> inferExamples(const RecordFiles& files, const ExampleInferenceOptions& options)
{
    return guardMemory(files.paths.front(), [&] { return inferFrom(files, options); });
}

} // namespace cannery::data
