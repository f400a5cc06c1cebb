// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/run_filter.h"

#include <QString>
#include <QStringList>

#include <memory>
#include <vector>

namespace cannery::ui {

/// A part of a filter. Built once, then only read.
class RunFilter::Node
{
public:
    virtual ~Node() = default;
    virtual bool matches(const RunRow& run) const = 0;
    /// Adds the fields that comparisons name.
    virtual void collectFields(QStringList& fields) const = 0;
};

/// A part of a filter, and what filters are built of.
using FilterTerm = std::unique_ptr<RunFilter::Node>;

enum class FilterOperator
{
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Contains,
};

FilterTerm allOf(std::vector<FilterTerm> terms);
FilterTerm anyOf(std::vector<FilterTerm> terms);
FilterTerm noneOf(FilterTerm term);
/// `field` of a run, one of its values, compared with `value`.
FilterTerm comparison(const QString& field, FilterOperator op, const QString& value);
/// "tag:best" is the whole tag; the other prefixes look for a part.
FilterTerm prefixed(const QString& prefix, const QString& text);
/// A bare word, looked for in every text of a run.
FilterTerm containsWord(const QString& text);
FilterTerm isStarred();

} // namespace cannery::ui
