// SPDX-License-Identifier: GPL-3.0-only
#include "ui/document/text_command.h"

namespace cannery::ui {

TextChange wholeChange(const QByteArray& before, const QByteArray& after)
{
    return {0, before.size(), after};
}

} // namespace cannery::ui
