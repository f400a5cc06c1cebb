// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/runs/run_snapshot.h"

#include <QString>

#include <memory>
#include <optional>

namespace cannery::ui {

/// An error in a filter, and its position in the text.
struct FilterError
{
    qsizetype position = 0;
    qsizetype length = 1;
    QString sentence;
};

/// A filter for runs: `tag:best and auc > 0.9 and lr < 0.1`, in the language of
/// core/filter/filter_syntax.h, with words to search for.
///
/// Texts are compared case-insensitively. A field is a metric ("auc",
/// "eval_test/auc", "auc.max"; its value at the best checkpoint unless followed by .last, .min or
/// .max), a parameter by the last part of its path ("learning_rate", "lr"), the member of a oneof
/// ("optimizer = adagrad"), or a fact (step, rows, duration, star …). A comparison with a value
/// that a run does not have is false. A bare word is searched for in name, title, tags, notes,
/// estimator and experiment; "star" means starred. The prefixes are tag, name, notes, state,
/// estimator, experiment and data. Copies share the parsed filter.
class RunFilter
{
public:
    class Node;

    /// Matches every run.
    RunFilter() = default;
    static RunFilter parse(const QString& text);

    /// Set if the text could not be parsed; the filter then matches every run.
    const std::optional<FilterError>& error() const { return m_error; }
    bool isEmpty() const { return !m_root; }
    const QString& text() const { return m_text; }
    bool matches(const RunRow& run) const;
    /// The first field that none of these runs has; empty if there is none.
    QString unknownField(const QList<RunRow>& runs) const;

private:
    QString m_text;
    std::shared_ptr<const Node> m_root;
    std::optional<FilterError> m_error;
};

} // namespace cannery::ui
