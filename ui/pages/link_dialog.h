// SPDX-License-Identifier: GPL-3.0-only
#pragma once

class QUrl;
class QWidget;

namespace cannery::ui {

/// Shows where a link of somebody's text leads, in full, and opens it in the browser when the
/// person says so.
void askToOpenLink(const QUrl& link, QWidget* parent);

} // namespace cannery::ui
