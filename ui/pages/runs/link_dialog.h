// SPDX-License-Identifier: GPL-3.0-only
#pragma once

class QUrl;
class QWidget;

namespace cannery::ui {

/// Shows the full target of a link in someone's text, and opens it in the browser if the user
/// agrees.
void askToOpenLink(const QUrl& link, QWidget* parent);

} // namespace cannery::ui
