// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/runs/run_filter_terms.h"

#include "ui/models/runs/run_fields.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace cannery::ui {

namespace {

class AllOf : public RunFilter::Node
{
public:
    explicit AllOf(std::vector<FilterTerm> parts) : m_parts(std::move(parts)) {}
    bool matches(const RunRow& run) const override
    {
        for (const FilterTerm& part : m_parts) {
            if (!part->matches(run)) {
                return false;
            }
        }
        return true;
    }
    void collectFields(QStringList& fields) const override
    {
        for (const FilterTerm& part : m_parts) {
            part->collectFields(fields);
        }
    }

private:
    std::vector<FilterTerm> m_parts;
};

class AnyOf : public RunFilter::Node
{
public:
    explicit AnyOf(std::vector<FilterTerm> parts) : m_parts(std::move(parts)) {}
    bool matches(const RunRow& run) const override
    {
        for (const FilterTerm& part : m_parts) {
            if (part->matches(run)) {
                return true;
            }
        }
        return false;
    }
    void collectFields(QStringList& fields) const override
    {
        for (const FilterTerm& part : m_parts) {
            part->collectFields(fields);
        }
    }

private:
    std::vector<FilterTerm> m_parts;
};

class Not : public RunFilter::Node
{
public:
    explicit Not(FilterTerm part) : m_part(std::move(part)) {}
    bool matches(const RunRow& run) const override { return !m_part->matches(run); }
    void collectFields(QStringList& fields) const override { m_part->collectFields(fields); }

private:
    FilterTerm m_part;
};

class Comparison : public RunFilter::Node
{
public:
    Comparison(QString field, filter::Sign sign, QString value)
        : m_field(std::move(field)), m_sign(sign), m_value(std::move(value)),
          m_number(numberOf(m_value))
    {}
    bool matches(const RunRow& run) const override
    {
        const QStringList texts = fieldTexts(run, m_field);
        if (m_sign == filter::Sign::NotEqual) {
            // "lr != 0.1" for a run with two rates: neither may be 0.1.
            return !texts.isEmpty() && std::all_of(texts.begin(), texts.end(),
                                                   [&](const auto& t) { return matchesText(t); });
        }
        return std::any_of(texts.begin(), texts.end(),
                           [&](const QString& text) { return matchesText(text); });
    }
    void collectFields(QStringList& fields) const override { fields.append(m_field); }

private:
    bool matchesText(const QString& text) const
    {
        // "data = titanic" should find a file of that name, with its folder and suffix.
        if (m_sign == filter::Sign::Equal && m_field == QLatin1String("data")) {
            return text.contains(m_value, Qt::CaseInsensitive);
        }
        // By number if both are: 0.10 equals 0.1, and 1e-3 equals 0.001.
        const std::optional<double> number = m_number ? numberOf(text) : std::nullopt;
        if (number) {
            return filter::holds(m_sign, *number, *m_number);
        }
        const bool isSame = text.compare(m_value, Qt::CaseInsensitive) == 0;
        return (m_sign == filter::Sign::Equal && isSame) ||
               (m_sign == filter::Sign::NotEqual && !isSame);
    }

    QString m_field;
    filter::Sign m_sign;
    QString m_value;
    std::optional<double> m_number;
};

/// Whether one of the run's values of a field has this part.
bool hasPart(const RunRow& run, const QString& field, const QString& part)
{
    const QStringList texts = fieldTexts(run, field);
    return std::any_of(texts.begin(), texts.end(), [&](const QString& text) {
        return text.contains(part, Qt::CaseInsensitive);
    });
}

class ContainsPart : public RunFilter::Node
{
public:
    ContainsPart(QString field, QString part) : m_field(std::move(field)), m_part(std::move(part))
    {}
    bool matches(const RunRow& run) const override { return hasPart(run, m_field, m_part); }
    void collectFields(QStringList& fields) const override { fields.append(m_field); }

private:
    QString m_field;
    QString m_part;
};

class Missing : public RunFilter::Node
{
public:
    explicit Missing(QString field) : m_field(std::move(field)) {}
    bool matches(const RunRow& run) const override { return fieldTexts(run, m_field).isEmpty(); }
    void collectFields(QStringList& fields) const override { fields.append(m_field); }

private:
    QString m_field;
};

class Prefixed : public RunFilter::Node
{
public:
    Prefixed(QString prefix, QString text) : m_prefix(std::move(prefix)), m_text(std::move(text)) {}
    bool matches(const RunRow& run) const override
    {
        // A tag is compared as a whole, texts of other fields by a part.
        return m_prefix == QLatin1String("tag") ? run.tags.contains(m_text, Qt::CaseInsensitive)
                                                : hasPart(run, m_prefix, m_text);
    }
    void collectFields(QStringList&) const override {}

private:
    QString m_prefix;
    QString m_text;
};

class Word : public RunFilter::Node
{
public:
    explicit Word(QString text) : m_text(std::move(text)) {}
    bool matches(const RunRow& run) const override
    {
        static constexpr std::array kFields{"name", "tags", "notes", "estimator", "experiment"};
        return std::any_of(kFields.begin(), kFields.end(), [&](const char* field) {
            return hasPart(run, QString::fromLatin1(field), m_text);
        });
    }
    void collectFields(QStringList&) const override {}

private:
    QString m_text;
};

class Starred : public RunFilter::Node
{
public:
    bool matches(const RunRow& run) const override { return run.starred; }
    void collectFields(QStringList&) const override {}
};

} // namespace

FilterTerm allOf(std::vector<FilterTerm> terms)
{
    return std::make_unique<AllOf>(std::move(terms));
}

FilterTerm anyOf(std::vector<FilterTerm> terms)
{
    return std::make_unique<AnyOf>(std::move(terms));
}

FilterTerm noneOf(FilterTerm term)
{
    return std::make_unique<Not>(std::move(term));
}

FilterTerm comparison(const QString& field, filter::Sign sign, const QString& value)
{
    return std::make_unique<Comparison>(field, sign, value);
}

FilterTerm containsPart(const QString& field, const QString& part)
{
    return std::make_unique<ContainsPart>(field, part);
}

FilterTerm isMissing(const QString& field)
{
    return std::make_unique<Missing>(field);
}

FilterTerm prefixed(const QString& prefix, const QString& text)
{
    return std::make_unique<Prefixed>(prefix, text);
}

FilterTerm containsWord(const QString& text)
{
    return std::make_unique<Word>(text);
}

FilterTerm isStarred()
{
    return std::make_unique<Starred>();
}

} // namespace cannery::ui
