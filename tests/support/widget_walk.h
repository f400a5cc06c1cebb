// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QStringList>

class QWidget;

namespace cannery::tests {

struct WalkRules
{
    bool clipping = true; ///< no text is cut without a tool tip (labels: outside scroll areas)
    bool overlap = true;  ///< no two siblings lie on each other
    bool names = true;    ///< whatever takes focus has a name for assistive technology
    bool contrast = true; ///< enabled text has 4.5 : 1 against what is behind it
};

/// Walks every visible widget below `root` (shown, laid out) and says in sentences what a person
/// would trip over; empty when nothing. A widget with the property "floating" may cover others.
QStringList walkWidgets(QWidget& root, const WalkRules& rules = {});

} // namespace cannery::tests
