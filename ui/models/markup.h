// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QString>

namespace cannery::ui {

/// Text with links: the HTML allowed in our own sentences. All other HTML (images, style sheets,
/// web fonts) is shown as literal text, so that a name from someone else's project cannot load
/// anything, even if escaping was forgotten.
///
/// Allowed are <a href="…">, </a>, <b>, </b>, <br> and <span style="color:…;font-weight:…">,
/// </span>.
QString withLinksOnly(const QString& markup);

/// The plain text of the sentence: without tags, with entities decoded.
QString plainOf(const QString& markup);

} // namespace cannery::ui
