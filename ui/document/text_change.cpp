// SPDX-License-Identifier: GPL-3.0-only
#include "ui/document/text_change.h"

#include <algorithm>

namespace cannery::ui {

QByteArray TextChange::applied(const QByteArray& text) const
{
    return text.first(begin) + replacement + text.sliced(end);
}

TextChange TextChange::inverse(const QByteArray& text) const
{
    return {begin, begin + replacement.size(), text.sliced(begin, end - begin)};
}

TextChange changeBetween(const QByteArray& before, const QByteArray& after)
{
    // Only what differs: each step of the history keeps both of its texts.
    const auto [left, right] =
        std::mismatch(before.begin(), before.end(), after.begin(), after.end());
    const qsizetype begin = left - before.begin();
    const auto [last, lastAfter] = std::mismatch(before.rbegin(), std::make_reverse_iterator(left),
                                                 after.rbegin(), std::make_reverse_iterator(right));
    const qsizetype end = before.size() - (last - before.rbegin());
    const qsizetype endAfter = after.size() - (lastAfter - after.rbegin());
    return {begin, end, after.sliced(begin, endAfter - begin)};
}

} // namespace cannery::ui
