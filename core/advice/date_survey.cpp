// SPDX-License-Identifier: Apache-2.0
#include "core/advice/date_survey.h"

#include "core/base/fingerprint.h"
#include "core/data/quantile_sketch.h"
#include "core/data/typing/date_columns.h"

#include <algorithm>
#include <chrono>
#include <unordered_set>

namespace cannery::advice {

namespace {

constexpr std::size_t kMostDateColumns = 16;
constexpr std::size_t kMostDateClasses = 100;
constexpr std::size_t kMostDistinctTimes = 4096;
constexpr std::size_t kHundredths = 100;

/// One column while its rows go by.
class DateObserver
{
public:
    explicit DateObserver(DateFacts facts) : m_facts(std::move(facts)) {}

    const std::string& column() const { return m_facts.column; }

    void add(std::string_view text, bool isThere, std::string_view label)
    {
        if (!isThere || text.empty()) {
            ++m_facts.missing;
            return;
        }
        const std::optional<data::DateTime> date = data::readDate(text, *m_facts.notation);
        if (!date) {
            ++m_facts.others;
            noteOther(text);
            return;
        }
        ++m_facts.count;
        m_hasDate = m_hasDate || date->hasDate;
        const auto seconds = static_cast<double>(date->time.seconds);
        m_seconds.add(seconds);
        m_rises = m_rises && (m_facts.count == 1 || seconds >= m_last);
        // In order in either direction.
        m_falls = m_falls && (m_facts.count == 1 || seconds <= m_last);
        m_last = seconds;
        // More are not counted: they are enough anyway.
        if (m_distinct.size() < kMostDistinctTimes) {
            m_distinct.insert(date->time.seconds);
        }
        noteParts(*date);
        noteClass(label, seconds);
    }

    DateFacts finish()
    {
        m_facts.seconds = m_seconds.quantiles(kHundredths);
        m_facts.isTimeAlone = !m_hasDate;
        m_facts.isInOrder = m_hasDate && (m_rises || m_falls);
        m_facts.distinct = m_distinct.size();
        return std::move(m_facts);
    }

private:
    void noteOther(std::string_view text)
    {
        std::vector<std::string>& texts = m_facts.otherTexts;
        // A few examples are enough.
        if (texts.size() <= DateFacts::kMostOtherTexts &&
            std::find(texts.begin(), texts.end(), text) == texts.end()) {
            texts.emplace_back(text);
        }
    }

    void noteParts(const data::DateTime& date)
    {
        const auto part = [&](spec::DatePart::Name name) {
            return static_cast<std::size_t>(data::datePart(date, name, {}));
        };
        m_facts.months.set(part(spec::DatePart::month));
        m_facts.monthDays.set(part(spec::DatePart::day));
        m_facts.weekdays.set(part(spec::DatePart::weekday));
        m_facts.hours.set(part(spec::DatePart::hour));
    }

    void noteClass(std::string_view label, double seconds)
    {
        // So many different labels are not classes.
        if (m_facts.classes.size() > kMostDateClasses) {
            return;
        }
        const auto [known, isNew] =
            m_facts.classes.try_emplace(std::string(label), seconds, seconds);
        auto& [first, last] = known->second;
        first = std::min(first, seconds);
        last = std::max(last, seconds);
    }

    DateFacts m_facts;
    data::QuantileSketch m_seconds;
    std::unordered_set<std::int64_t> m_distinct;
    double m_last = 0;
    bool m_rises = true;
    bool m_falls = true;
    bool m_hasDate = false;
};

/// The sentence, with the option of this command in place of the field of an experiment.
std::string doubtOf(const Error& error)
{
    // The advice names a field, which does not exist yet.
    std::string text = error.sentence.substr(0, error.sentence.find(" Set date_notation"));
    if (error.id == "data.date_order") {
        text += " Give --dates day_first or --dates month_first";
    } else if (error.id == "data.date_year_place") {
        text += " Give --dates iso if the year comes first, or else --dates day_first or --dates "
                "month_first";
    } else {
        text = text.substr(0, text.find(" Correct the one"));
    }
    while (text.ends_with('.')) {
        text.pop_back();
    }
    return text;
}

/// The facts of a column whose rows are to be read, or why it cannot be read.
Result<DateFacts> startOf(const data::DataSource& source, const data::ColumnSchema& column,
                          const std::optional<spec::DateNotation::Name>& order)
{
    DateFacts facts{.column = column.name, .areNumbers = column.dtype != DType::String};
    CANNERY_TRY_ASSIGN(const data::DateEvidence evidence,
                       data::dateEvidenceOf(source, column.name, false));
    facts.mixesZones = evidence.withZone() > 0 && evidence.withoutZone() > 0;
    const Result<spec::DateNotation::Name> notation = evidence.notation(column.name);
    if (notation) {
        facts.notation = *notation;
    } else if (order && notation.error().id != "data.date_century") {
        // The option answers which of day and month comes first, but no century.
        facts.notation = *order;
    } else {
        facts.doubt = doubtOf(notation.error());
    }
    return facts;
}

} // namespace

Result<std::vector<DateFacts>> surveyDates(const data::DataSource& source,
                                           const std::optional<spec::DateNotation::Name>& order,
                                           const std::string& label)
{
    std::vector<DateFacts> all;
    std::vector<DateObserver> observers;
    data::ChunkRequest request;
    for (const data::ColumnSchema& column : source.schema().columns) {
        // Each column is read twice, so there is a limit.
        if (column.kind != data::ColumnKind::Date || column.name == label ||
            all.size() + observers.size() == kMostDateColumns) {
            continue;
        }
        CANNERY_TRY_ASSIGN(DateFacts facts, startOf(source, column, order));
        // Its rows need not be read, as nobody knows how.
        if (!facts.notation) {
            all.push_back(std::move(facts));
            continue;
        }
        observers.emplace_back(std::move(facts));
        request.columns.push_back({.column = column.name, .dtype = DType::String});
    }
    if (observers.empty()) {
        return all;
    }
    const bool followsLabel = source.schema().find(label) != nullptr;
    if (followsLabel) {
        // The label as a text, as it may be anything.
        request.columns.push_back({.column = label, .dtype = DType::String});
    }
    CANNERY_TRY_ASSIGN(const std::unique_ptr<data::ChunkStream> stream, source.read(request));
    while (true) {
        CANNERY_TRY_ASSIGN(const std::optional<storage::TableChunk> chunk, stream->next());
        if (!chunk) {
            break;
        }
        for (std::size_t i = 0; i < observers.size(); ++i) {
            const storage::TableColumn& cells = chunk->columns[i];
            for (std::size_t row = 0; row < chunk->rows; ++row) {
                observers[i].add(cells.strings()[row], cells.isValid(row),
                                 followsLabel ? chunk->columns.back().strings()[row]
                                              : std::string_view());
            }
        }
    }
    for (DateObserver& observer : observers) {
        all.push_back(observer.finish());
    }
    return all;
}

} // namespace cannery::advice
