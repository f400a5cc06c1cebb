// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QString>

class QWidget;

namespace cannery::ui {

/// What help begins with.
struct HelpTopic
{
    QString title;
    QString text;
    QString term; ///< the glossary's word behind it; may be empty

    bool operator==(const HelpTopic&) const = default;
};

/// What explains the widget that has the focus: a field of the experiment, a metric's chart, the
/// current column of Runs; otherwise the page with that id. `focus` may be null.
HelpTopic helpTopicOf(const QWidget* focus, const QString& page);

} // namespace cannery::ui
