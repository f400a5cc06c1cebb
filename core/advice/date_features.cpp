// SPDX-License-Identifier: Apache-2.0
#include "core/advice/date_features.h"

#include "core/advice/starting_experiment.h"
#include "core/base/iso_time.h"
#include "core/data/typing/date_reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace cannery::advice {

namespace {

constexpr double kSecondsADay = 86'400;
/// A month says something if the rows come back to it, or nearly so.
constexpr double kFewestDaysForMonths = 300;
constexpr double kFewestDaysForWeekdays = 21;
constexpr double kFewestDaysForHours = 2;
/// Of the days of months: others are the first or last of each, whose weekdays mean nothing.
constexpr std::size_t kFewestMonthDays = 5;
/// Fewer buckets of days would hold too few rows each.
constexpr std::uint64_t kRowsOfBucket = 30;
constexpr std::uint64_t kMostBuckets = 16;
constexpr std::uint64_t kFewestBuckets = 4;
/// Of a text such as 2024-05-01.
constexpr std::size_t kDayLength = 10;
/// With fewer different times the latest ones are no sample of later rows.
constexpr std::uint64_t kFewestTimes = 20;

/// What all rows together have shown.
std::string_view orderOf(spec::DateNotation::Name notation)
{
    return notation == spec::DateNotation::day_first     ? ", the day first"
           : notation == spec::DateNotation::month_first ? ", the month first"
                                                         : "";
}

/// Adds the features of one column.
class PartAdder
{
public:
    PartAdder(const DateFacts& dates, const std::string& name,
              const std::vector<std::string>& tableColumns, StartingExperiment& result)
        : m_dates(dates), m_name(name), m_taken(tableColumns), m_result(result)
    {}

    void add()
    {
        std::string parts;
        const auto note = [&](std::string_view part) {
            parts += (parts.empty() ? "" : ", ") + std::string(part);
        };
        // A single day has no distance to learn from.
        if (m_dates.distinct > 1) {
            addDays();
            note(m_dates.isTimeAlone ? "time of day" : "days since the first");
        }
        if (m_dates.days() >= kFewestDaysForMonths && m_dates.months.count() > 1) {
            addCategory(spec::DatePart::month, 13);
            note("month");
        }
        if (m_dates.days() >= kFewestDaysForWeekdays && m_dates.weekdays.count() > 1 &&
            m_dates.monthDays.count() >= kFewestMonthDays) {
            addCategory(spec::DatePart::weekday, 7);
            note("weekday");
        }
        if (m_dates.hours.count() > 1 &&
            (m_dates.isTimeAlone || m_dates.days() >= kFewestDaysForHours)) {
            addCategory(spec::DatePart::hour, 24);
            note("hour");
        }
        m_result.taken.push_back({m_dates.column, fmt::format("dates{}: taken as {}",
                                                              orderOf(*m_dates.notation), parts)});
        describe();
    }

private:
    /// A name that neither the table nor another feature has.
    std::string freeName(const std::string& wanted) const
    {
        std::string name = wanted;
        const auto isTaken = [&](const std::string& one) {
            const auto& made = m_result.experiment.data().feature();
            return std::find(m_taken.begin(), m_taken.end(), one) != m_taken.end() ||
                   std::any_of(made.begin(), made.end(),
                               [&](const spec::Feature& each) { return each.name() == one; });
        };
        for (int number = 2; isTaken(name); ++number) {
            name = fmt::format("{}_{}", wanted, number);
        }
        return name;
    }

    spec::Feature& addFeature(const std::string& ending, spec::DatePart::Name part)
    {
        const std::string name = freeName(m_name + "_" + ending);
        spec::Feature& feature = *m_result.experiment.mutable_data()->add_feature();
        feature.set_name(name);
        feature.mutable_date_part()->set_column(m_dates.column);
        feature.mutable_date_part()->set_part(part);
        return feature;
    }

    spec::FeatureColumn& addColumn(const std::string& name)
    {
        spec::FeatureColumn& column = *m_result.experiment.add_feature_column();
        column.set_name(name);
        return column;
    }

    /// From midnight of the first day, so that float32 holds seconds.
    void addDays()
    {
        spec::Feature& feature = addFeature("days", spec::DatePart::days_since);
        const double origin =
            m_dates.isTimeAlone ? 0 : std::floor(m_dates.first() / kSecondsADay) * kSecondsADay;
        if (!m_dates.isTimeAlone) {
            feature.mutable_date_part()->set_origin(isoTimeText(static_cast<std::int64_t>(origin)));
        }
        // Scaled, as days count into thousands.
        spec::NumericColumn& scaled = *addColumn(feature.name()).mutable_numeric_column();
        scaled.set_key(feature.name());
        scaled.mutable_normalizer()->mutable_z_score();
        m_result.columns.plain.push_back(feature.name());
        m_result.columns.deep.push_back(feature.name());
        addBuckets(feature.name(), origin);
    }

    /// Buckets of days, for models that need them.
    void addBuckets(const std::string& feature, double origin)
    {
        const std::uint64_t count =
            std::clamp(m_dates.count / kRowsOfBucket, kFewestBuckets, kMostBuckets);
        std::vector<double> boundaries;
        for (std::uint64_t i = 1; i < count; ++i) {
            const double day = (m_dates.seconds[i * 100 / count] - origin) / kSecondsADay;
            const double rounded =
                m_dates.isTimeAlone ? roundedWithin(day, 0.002) : std::round(day);
            // Boundaries that rounding has made equal would leave a bucket empty.
            if (boundaries.empty() ? day > 0 : rounded > boundaries.back()) {
                boundaries.push_back(rounded);
            }
        }
        if (boundaries.empty()) {
            return;
        }
        // Buckets need the days themselves, not the scaled ones.
        addColumn(feature + "_raw").mutable_numeric_column()->set_key(feature);
        spec::BucketizedColumn& buckets =
            *addColumn(feature + "_buckets").mutable_bucketized_column();
        buckets.set_source_column(feature + "_raw");
        for (const double boundary : boundaries) {
            buckets.add_boundaries(boundary);
        }
        m_result.columns.buckets.push_back(feature + "_buckets");
    }

    void addCategory(spec::DatePart::Name part, std::int64_t count)
    {
        const spec::Feature& feature = addFeature(spec::DatePart::Name_Name(part), part);
        spec::IdentityColumn& ids =
            *addColumn(feature.name()).mutable_categorical_column_with_identity();
        ids.set_key(feature.name());
        // Months count from 1, so there is one bucket more.
        ids.set_num_buckets(count);
        const std::string dense = feature.name() + "_indicator";
        addColumn(dense).mutable_indicator_column()->set_categorical_column(feature.name());
        m_result.columns.plain.push_back(feature.name());
        m_result.columns.deep.push_back(dense);
    }

    /// How the column is read, and the date that a missing one means: the middle one.
    void describe()
    {
        spec::Column& column = *m_result.experiment.mutable_data()->add_column();
        column.set_name(m_dates.column);
        column.set_date_notation(*m_dates.notation);
        for (const std::string& text : m_dates.otherTexts) {
            column.add_missing_token(text);
        }
        // Without a missing cell no default is needed.
        if (m_dates.missing + m_dates.others == 0) {
            return;
        }
        const double median = m_dates.seconds[50];
        std::string middle = isoTimeText(static_cast<std::int64_t>(
            m_dates.isTimeAlone ? median : std::floor(median / kSecondsADay) * kSecondsADay));
        if (m_dates.isTimeAlone && middle.size() > kDayLength) {
            middle = middle.substr(kDayLength + 1);
        }
        // Such a column has days as numbers, without hyphens.
        if (m_dates.areNumbers) {
            std::erase(middle, '-');
        }
        column.set_default_value(middle);
    }

    const DateFacts& m_dates;
    const std::string& m_name;
    const std::vector<std::string>& m_taken;
    StartingExperiment& m_result;
};

/// Whether a model has rows to learn from and to be scored on.
bool hasClassesOnBothSides(const DateFacts& dates, double from)
{
    std::size_t later = 0;
    for (const auto& [label, times] : dates.classes) {
        // A class that begins later cannot be learned.
        if (times.first >= from) {
            return false;
        }
        later += times.second >= from ? 1 : 0;
    }
    return later > 1;
}

} // namespace

const DateFacts* findDates(const std::vector<DateFacts>& dates, const std::string& column)
{
    const auto found = std::ranges::find(dates, column, &DateFacts::column);
    return found == dates.end() ? nullptr : &*found;
}

void addDateParts(const DateFacts& dates, const std::string& name,
                  const std::vector<std::string>& tableColumns, StartingExperiment& result)
{
    if (!dates.doubt.empty()) {
        result.leftOut.push_back({dates.column, "date: " + dates.doubt});
    } else if (dates.otherTexts.size() > DateFacts::kMostOtherTexts) {
        // Too many texts are not dates: the column is something else.
        result.leftOut.push_back(
            {dates.column,
             fmt::format("date: {} of its texts, such as \"{}\", are not dates {}", dates.others,
                         dates.otherTexts.front(), data::describe(*dates.notation))});
    } else if (dates.distinct < 2) {
        result.leftOut.push_back({dates.column, "date: every row with a value has the same one"});
    } else {
        PartAdder(dates, name, tableColumns, result).add();
        if (dates.mixesZones) {
            result.warnings.push_back(
                {dates.column, "holds times with a zone and times without: the latter are read as "
                               "in UTC, so write the zone if they are not"});
        }
    }
}

void splitByTime(const std::vector<DateFacts>& dates, StartingExperiment& result)
{
    spec::Data& data = *result.experiment.mutable_data();
    // The user's own split is left alone.
    if (!data.split().has_fraction()) {
        return;
    }
    const auto found = std::ranges::find_if(dates, [](const DateFacts& one) {
        // All rows must have a date, and the table be in its order.
        return one.isInOrder && one.distinct >= kFewestTimes && one.missing + one.others == 0;
    });
    if (found == dates.end()) {
        return;
    }
    const double fraction = data.split().fraction().eval_fraction();
    const auto at = static_cast<std::size_t>(std::clamp(100 * (1 - fraction), 1.0, 99.0));
    const bool areDays = found->hours.count() == 1 && found->hours.test(0);
    const double exact = std::ceil(found->seconds[at]);
    // Whole days are cut at midnight.
    const double from = areDays ? std::ceil(exact / kSecondsADay) * kSecondsADay : exact;
    const bool isClassified = result.label.task != LabelTask::Regression;
    // Both parts must have rows, and each of the classes.
    if (!(from > found->first() && from <= found->last()) ||
        (isClassified && !hasClassesOnBothSides(*found, from))) {
        return;
    }
    spec::TimeSplit& split = *data.mutable_split()->mutable_by_time();
    split.set_column(found->column);
    split.set_eval_from(isoTimeText(static_cast<std::int64_t>(from)));
    const bool isDescribed = std::ranges::any_of(
        data.column(), [&](const spec::Column& column) { return column.name() == found->column; });
    if (!isDescribed) {
        spec::Column& column = *data.add_column();
        column.set_name(found->column);
        column.set_date_notation(*found->notation);
    }
    result.taken.push_back(
        {found->column, fmt::format("the rows are in its order: those from {} on are held back for "
                                    "evaluation",
                                    split.eval_from())});
}

} // namespace cannery::advice
