// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "core/filter/filter_syntax.h"
#include "ui/models/runs/run_filter.h"

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
    /// Adds the fields that comparisons refer to.
    virtual void collectFields(QStringList& fields) const = 0;
};

/// A term that combines other terms.
using FilterTerm = std::unique_ptr<RunFilter::Node>;

FilterTerm allOf(std::vector<FilterTerm> terms);
FilterTerm anyOf(std::vector<FilterTerm> terms);
FilterTerm noneOf(FilterTerm term);
/// Compares `field` of a run, for any of its values, with `value`.
FilterTerm comparison(const QString& field, filter::Sign sign, const QString& value);
/// Searches every value of `field` for a part.
FilterTerm containsPart(const QString& field, const QString& part);
/// A run that has no value of `field`.
FilterTerm isMissing(const QString& field);
/// "tag:best" matches the whole tag; the other prefixes search for a part.
FilterTerm prefixed(const QString& prefix, const QString& text);
/// A bare word, searched for in all texts of a run.
FilterTerm containsWord(const QString& text);
FilterTerm isStarred();

} // namespace cannery::ui
