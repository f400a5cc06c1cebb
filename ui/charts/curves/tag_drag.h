// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QString>

class QMimeData;
class QWidget;

namespace cannery::ui {

/// Lets the user drag a tag from this card onto another one ("application/x-cannery-tag", and as
/// text); returns when it is dropped.
void dragTag(const QString& tag, QWidget& source);
/// The tag in a drag; empty if it has none.
QString draggedTag(const QMimeData& data);

} // namespace cannery::ui
