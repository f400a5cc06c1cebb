// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QString>

namespace cannery::ui {

/// Text with links: what our own sentences may hold of HTML. Everything else of HTML (images,
/// style sheets, fonts of the web) stands there as the letters that it is written with, so that a
/// name out of somebody's project can't load anything, whoever forgot to escape it.
///
/// Kept are <a href="…">, </a>, <b>, </b>, <br> and <span style="color:…;font-weight:…">, </span>.
QString withLinksOnly(const QString& markup);

/// The same sentence as a person reads it: without tags, with the letters that entities mean.
QString plainOf(const QString& markup);

} // namespace cannery::ui
