// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <Qt>

namespace cannery::ui {

/// What a model of pictures says about each, besides Qt::DisplayRole: the first line below it.
namespace PictureRole {

enum Role
{
    File = Qt::UserRole + 100, ///< path of the file; empty while it is on its way
    SecondLine,
    IsWrong, ///< true: the first line is drawn as a problem
};

} // namespace PictureRole

} // namespace cannery::ui
