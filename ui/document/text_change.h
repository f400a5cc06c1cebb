// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QByteArray>

namespace cannery::ui {

/// Bytes [begin, end) of a text become `replacement`.
struct TextChange
{
    qsizetype begin = 0;
    qsizetype end = 0;
    QByteArray replacement;

    QByteArray applied(const QByteArray& text) const;
    /// The change that restores the old bytes.
    TextChange inverse(const QByteArray& text) const;
    bool isNothing() const { return begin == end && replacement.isEmpty(); }
};

/// The smallest change that makes one text the other.
TextChange changeBetween(const QByteArray& before, const QByteArray& after);

} // namespace cannery::ui
