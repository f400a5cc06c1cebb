// SPDX-License-Identifier: Apache-2.0
#include "core/features/label_encoder.h"

#include "core/base/canonical_number.h"
#include "core/base/catalog.h"
#include "core/base/check.h"
#include "core/features/raw_rows.h"
#include "core/features/vocabulary.h"
#include "core/spec/message_access.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace cannery::features {

namespace {

constexpr ErrorKind kNoLabels{"features.no_label",
                              "The rows have no label{}. Name the label in data.label."};
constexpr ErrorKind kMissing{
    "features.label_missing",
    "{}: the label is missing. Remove the row, or leave out rows without a label "
    "(data.unlabelled_rows: SKIP) or all that cannot be used (data.bad_rows: SKIP)."};
constexpr ErrorKind kUnknown{
    "features.label_unknown",
    "{}: label '{}' is not in the label_vocabulary.{} Correct it, add it to "
    "the label_vocabulary, or leave out such rows (data.bad_rows: SKIP)."};
constexpr ErrorKind kRange{"features.label_range",
                           "{}: label {} is not {}. Correct it, {}or leave out such rows "
                           "(data.bad_rows: SKIP)."};
constexpr ErrorKind kType{"features.label_type", "The labels are {}, but {}."};
constexpr ErrorKind kShape{
    "features.label_shape",
    "A row has {} label values, but the head{} takes {}. Check data.label and label_dimension."};
constexpr ErrorKind kRepeated{"features.label_vocabulary_repeated",
                              "The label_vocabulary has '{}' twice; remove one."};
constexpr ErrorKind kVocabularySize{
    "features.label_vocabulary",
    "The label_vocabulary has {} words for {} classes; give one word for each class."};

constexpr ErrorKind kNoList{
    "features.label_no_list",
    "The label is not a list, but with return_sequences it has a value for each step. Give the "
    "column whose cells are lists as data.label.split."};
constexpr ErrorKind kStepClasses{
    "features.label_step_classes",
    "With return_sequences a multi_label_head has no label_vocabulary: the label of a step is a 0 "
    "or 1 for each class. Remove it, and give the label as such a list."};
constexpr ErrorKind kSteps{
    "features.label_steps",
    "{}: the label has {} values, but the sequence '{}' has {} steps, which need {}. Correct the "
    "row: with return_sequences the label has {} for each step."};

constexpr std::size_t kNamedClasses = 12;

/// Null unless all words are different numbers.
std::shared_ptr<const TextVocabulary> numbersOf(const std::vector<std::string>& words)
{
    auto numbers = std::make_shared<TextVocabulary>();
    for (const std::string& word : words) {
        // Words "1" and "1.0" are one number, so numbers could not distinguish them.
        const std::optional<std::string> number = canonicalNumber(word);
        if (!number || !numbers->add(*number)) {
            return nullptr;
        }
    }
    return numbers;
}

Result<void> addVocabulary(const std::vector<std::string>& words, LabelRule& rule)
{
    if (words.empty()) {
        return {};
    }
    if (static_cast<std::int64_t>(words.size()) != rule.classes) {
        return fail(ErrorCode::InvalidArgument, kVocabularySize, words.size(), rule.classes);
    }
    auto vocabulary = std::make_shared<TextVocabulary>();
    for (const std::string& word : words) {
        if (!vocabulary->add(word)) {
            return fail(ErrorCode::InvalidArgument, kRepeated, word);
        }
    }
    rule.vocabulary = std::move(vocabulary);
    // A column of integers may be read as 1 where the vocabulary says "1.0": both are compared as
    // numbers, after the words.
    rule.numbers = numbersOf(words);
    return {};
}

Result<LabelRule> ruleOf(const spec::Head& head)
{
    LabelRule rule;
    if (const spec::HeadKind* kind = spec::findHeadKind(head)) {
        rule = {.head = spec::headName(head),
                .kind = kind->labels,
                .width = spec::labelWidth(head),
                .classes = spec::classCount(head)};
        CANNERY_TRY(addVocabulary(spec::textsIn(*spec::memberOf(head), "label_vocabulary"), rule));
    }
    return rule;
}

/// " Known: a, b." or the nearest word.
std::string knownClasses(const TextVocabulary& vocabulary, std::string_view word)
{
    std::vector<std::string> known;
    const auto shown =
        std::min<std::size_t>(kNamedClasses, static_cast<std::size_t>(vocabulary.size()));
    for (std::size_t i = 0; i < shown; ++i) {
        known.emplace_back(vocabulary.word(static_cast<std::int64_t>(i)));
    }
    return suggestion(word, known);
}

/// One head's part of the labels of some rows.
class LabelReader
{
public:
    LabelReader(const LabelRule& rule, const data::FeatureValues& values, const RawRows& rows)
        : m_rule(rule), m_values(values), m_rows(rows), m_cells(values, rows)
    {}

    Result<void> check() const
    {
        CANNERY_TRY(checkType());
        // A list is a label of classes that apply; other labels have a fixed number of values.
        if (m_values.sparse ? m_rule.kind != spec::LabelKind::MultiHot
                            : m_values.shape.elementCount() != m_rule.width) {
            return fail(ErrorCode::InvalidArgument, kShape,
                        m_values.sparse ? "any number of"
                                        : std::to_string(m_values.shape.elementCount()),
                        m_rule.head.empty() ? "" : " '" + m_rule.head + "'", m_rule.width);
        }
        return {};
    }

    Result<void> checkSteps() const
    {
        if (!m_values.sparse) {
            return fail(ErrorCode::InvalidArgument, kNoList);
        }
        if (m_rule.kind == spec::LabelKind::MultiHot && m_rule.vocabulary != nullptr) {
            return fail(ErrorCode::InvalidArgument, kStepClasses);
        }
        return checkType();
    }

    /// The labels of a row that has this many steps; `out` has room for them.
    Result<void> readSteps(std::int64_t row, const LabelledSteps& steps, std::int64_t count,
                           std::span<float> out) const
    {
        const CellRange cells = m_cells.of(row);
        if (cells.end - cells.begin != count * m_rule.width) {
            return fail(ErrorCode::InvalidArgument, kSteps, m_rows.place(row),
                        cells.end - cells.begin, steps.sequence, count, count * m_rule.width,
                        m_rule.width == 1 ? "one value" : fmt::format("{} values", m_rule.width));
        }
        return readEach(row, cells, out);
    }

    /// Whether some label of a row that is not a list is missing.
    bool isUnlabelled(std::int64_t row) const
    {
        const CellRange cells = m_values.sparse ? CellRange() : m_cells.of(row);
        for (std::int64_t element = cells.begin; element < cells.end; ++element) {
            if (isMissing(element)) {
                return true;
            }
        }
        return false;
    }

    /// Of a label that is not a list, or is one with a value for each class.
    Result<void> read(std::int64_t row, std::span<float> out) const
    {
        const CellRange cells = m_cells.of(row);
        return m_values.sparse ? readClasses(row, cells, out) : readEach(row, cells, out);
    }

private:
    /// Labels given as numbers if the head expects numbers, as texts if it has a vocabulary.
    Result<void> checkType() const
    {
        const bool isText = m_values.dtype == DType::String;
        const std::string type(name(m_values.dtype));
        if (isText && m_rule.vocabulary == nullptr) {
            return fail(ErrorCode::InvalidArgument, kType, "text",
                        m_rule.kind == spec::LabelKind::Number
                            ? "a regression learns numbers: use another label or a classifier"
                            : "the head has no label_vocabulary: list the classes in it");
        }
        if (!isText && m_rule.vocabulary != nullptr && m_rule.numbers == nullptr) {
            return fail(ErrorCode::InvalidArgument, kType, type,
                        "the label_vocabulary contains texts: remove it, or give the label column "
                        "the dtype string");
        }
        const bool needsIntegers =
            m_rule.vocabulary == nullptr &&
            (m_rule.kind == spec::LabelKind::ClassId || m_rule.kind == spec::LabelKind::MultiHot);
        // A class id such as 2.5 would otherwise be cut off without notice.
        if (needsIntegers && isFloating(m_values.dtype)) {
            return fail(ErrorCode::InvalidArgument, kType, type,
                        "class ids are integers: give the label column the dtype int64, or list "
                        "the classes in label_vocabulary");
        }
        return {};
    }

    Result<void> readEach(std::int64_t row, CellRange cells, std::span<float> out) const
    {
        for (std::int64_t element = cells.begin; element < cells.end; ++element) {
            if (isMissing(element)) {
                return fail(ErrorCode::InvalidArgument, kMissing, m_rows.place(row));
            }
            CANNERY_TRY_ASSIGN(out[static_cast<std::size_t>(element - cells.begin)],
                               readOne(row, element));
        }
        return {};
    }

    Result<void> readClasses(std::int64_t row, CellRange cells, std::span<float> out) const
    {
        for (std::int64_t element = cells.begin; element < cells.end; ++element) {
            CANNERY_TRY_ASSIGN(const std::int64_t id, classOf(row, element));
            out[static_cast<std::size_t>(id)] = 1;
        }
        return {};
    }

    Result<float> readOne(std::int64_t row, std::int64_t element) const
    {
        if (m_rule.vocabulary != nullptr || m_rule.kind == spec::LabelKind::ClassId) {
            CANNERY_TRY_ASSIGN(const std::int64_t id, classOf(row, element));
            return static_cast<float>(id);
        }
        const double value = numberAt(element);
        switch (m_rule.kind) {
        case spec::LabelKind::Probability:
            // Written so that NaN is refused as well.
            if (!(value >= 0 && value <= 1)) {
                return outOfRange(row, element, "between 0 and 1",
                                  "give other classes a label_vocabulary, ");
            }
            break;
        case spec::LabelKind::MultiHot:
            if (value != 0 && value != 1) {
                return outOfRange(row, element, "0 or 1 (whether a class applies)");
            }
            break;
        default:
            break;
        }
        return static_cast<float>(value);
    }

    Result<std::int64_t> classOf(std::int64_t row, std::int64_t element) const
    {
        if (m_rule.vocabulary != nullptr) {
            const auto* texts = std::get_if<StringColumn>(&m_values.elements);
            // A column of numbers is compared by its text, in the notation of canonicalNumber().
            const std::string number = texts == nullptr ? elementText(m_values, element) : "";
            const std::string_view word =
                texts == nullptr ? number : (*texts)[static_cast<std::size_t>(element)];
            const std::int64_t id = m_rule.classOf(word);
            // Words first: "01" may be a class of its own beside "1".
            if (id < 0) {
                return fail(ErrorCode::InvalidArgument, kUnknown, m_rows.place(row), word,
                            knownClasses(*m_rule.vocabulary, word));
            }
            return id;
        }
        const auto& ids = std::get<std::vector<std::int64_t>>(m_values.elements);
        const std::int64_t id = ids[static_cast<std::size_t>(element)];
        if (id < 0 || id >= m_rule.classes) {
            return outOfRange(row, element, fmt::format("a class from 0 to {}", m_rule.classes - 1),
                              "set n_classes higher, list the classes in label_vocabulary, ");
        }
        return id;
    }

    /// Also NaN, and the empty text unless it is a class.
    bool isMissing(std::int64_t element) const
    {
        if (isInvalid(m_values, element)) {
            return true;
        }
        const auto* texts = std::get_if<StringColumn>(&m_values.elements);
        return texts == nullptr
                   ? std::isnan(numberAt(element))
                   : (*texts)[static_cast<std::size_t>(element)].empty() && m_rule.classOf("") < 0;
    }

    double numberAt(std::int64_t element) const
    {
        return std::visit(
            [&](const auto& elements) -> double {
                if constexpr (std::is_same_v<std::decay_t<decltype(elements)>, StringColumn>) {
                    return 0;
                } else {
                    return static_cast<double>(elements[static_cast<std::size_t>(element)]);
                }
            },
            m_values.elements);
    }

    /// `cure`: others than those of every label, ending in a comma.
    tl::unexpected<Error> outOfRange(std::int64_t row, std::int64_t element,
                                     const std::string& what, std::string_view cure = {}) const
    {
        return fail(ErrorCode::InvalidArgument, kRange, m_rows.place(row),
                    elementText(m_values, element), what, cure);
    }

    const LabelRule& m_rule;
    const data::FeatureValues& m_values;
    const RawRows& m_rows;
    RowCells m_cells;
};

/// The labels of a head: those under its name, or the only ones. `Labels`: const, or to be changed.
template <typename Labels>
auto* findLabels(Labels& labels, const std::string& head, bool isOnly)
{
    const auto found = std::ranges::find_if(
        labels, [&](const data::FeatureValues& one) { return isOnly || one.name == head; });
    return found == labels.end() ? nullptr : &*found;
}

} // namespace

std::int64_t LabelRule::classOf(std::string_view label) const
{
    if (vocabulary == nullptr) {
        return -1;
    }
    const std::int64_t id = vocabulary->find(label);
    if (id >= 0 || numbers == nullptr) {
        return id;
    }
    const std::optional<std::string> number = canonicalNumber(label);
    return number ? numbers->find(*number) : -1;
}

Result<LabelEncoder> LabelEncoder::create(const spec::Head& head)
{
    LabelEncoder result;
    if (head.kind_case() == spec::Head::KIND_NOT_SET) {
        return result;
    }
    const bool isMultiple = head.has_multi_head();
    const int count = isMultiple ? head.multi_head().heads_size() : 1;
    for (int i = 0; i < count; ++i) {
        CANNERY_TRY_ASSIGN(LabelRule rule, ruleOf(isMultiple ? head.multi_head().heads(i) : head));
        result.m_width += rule.width;
        result.m_rules.push_back(std::move(rule));
    }
    return result;
}

Result<void> LabelEncoder::encode(const RawRows& rows, std::vector<float>& out) const
{
    const auto width = static_cast<std::size_t>(m_width);
    // Zeros, since a label of several classes sets only the ones that apply.
    out.assign(static_cast<std::size_t>(rows.count()) * width, 0.0F);
    std::size_t offset = 0;
    for (const LabelRule& rule : m_rules) {
        const data::FeatureValues* values =
            findLabels(rows.batch().labels, rule.head, m_rules.size() == 1);
        if (values == nullptr) {
            return fail(ErrorCode::InvalidArgument, kNoLabels,
                        m_rules.size() == 1 ? "" : " for the head '" + rule.head + "'");
        }
        const LabelReader reader(rule, *values, rows);
        CANNERY_TRY(reader.check());
        for (std::int64_t row = 0; row < rows.count(); ++row) {
            CANNERY_TRY(reader.read(
                row, std::span(out).subspan(static_cast<std::size_t>(row) * width + offset,
                                            static_cast<std::size_t>(rule.width))));
        }
        offset += static_cast<std::size_t>(rule.width);
    }
    return {};
}

std::vector<std::int64_t> LabelEncoder::missing(const RawRows& rows) const
{
    std::vector<std::int64_t> found;
    for (const LabelRule& rule : m_rules) {
        const data::FeatureValues* values =
            findLabels(rows.batch().labels, rule.head, m_rules.size() == 1);
        if (values == nullptr) {
            continue; // none of them has any: encode()'s error
        }
        const LabelReader reader(rule, *values, rows);
        for (std::int64_t row = 0; row < rows.count(); ++row) {
            if (reader.isUnlabelled(row)) {
                found.push_back(row);
            }
        }
    }
    // A row may lack the labels of several heads.
    std::ranges::sort(found);
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

void LabelEncoder::spell(data::FeatureBatch& batch) const
{
    for (const LabelRule& rule : m_rules) {
        data::FeatureValues* values = findLabels(batch.labels, rule.head, m_rules.size() == 1);
        if (values == nullptr || rule.numbers == nullptr) {
            continue;
        }
        // Each number becomes the word that it equals in the vocabulary; an unknown one stays.
        StringColumn spelled;
        const auto count = std::visit([](const auto& all) { return all.size(); }, values->elements);
        for (std::size_t i = 0; i < count; ++i) {
            const std::string word = elementText(*values, static_cast<std::int64_t>(i));
            const std::int64_t id = rule.classOf(word);
            spelled.push_back(id < 0 ? word : rule.vocabulary->word(id));
        }
        values->elements = std::move(spelled);
        values->dtype = DType::String;
    }
}

Result<void> LabelEncoder::encodeSteps(const RawRows& rows, const LabelledSteps& steps,
                                       std::vector<float>& out) const
{
    CANNERY_CHECK(m_rules.size() == 1);
    const LabelRule& rule = m_rules.front();
    const data::FeatureValues* values = findLabels(rows.batch().labels, rule.head, true);
    if (values == nullptr) {
        return fail(ErrorCode::InvalidArgument, kNoLabels, "");
    }
    const LabelReader reader(rule, *values, rows);
    CANNERY_TRY(reader.checkSteps());
    out.assign(static_cast<std::size_t>(steps.offsets.back() * rule.width), 0.0F);
    for (std::int64_t row = 0; row < rows.count(); ++row) {
        const std::int64_t first = steps.offsets[static_cast<std::size_t>(row)];
        const std::int64_t count = steps.offsets[static_cast<std::size_t>(row) + 1] - first;
        CANNERY_TRY(
            reader.readSteps(row, steps, count,
                             std::span(out).subspan(static_cast<std::size_t>(first * rule.width),
                                                    static_cast<std::size_t>(count * rule.width))));
    }
    return {};
}

} // namespace cannery::features
