// SPDX-License-Identifier: GPL-3.0-only
#pragma once

namespace cannery::ui {

/// Why a project was opened: what a person wants to see next follows from it.
enum class Opening
{
    Chosen,     ///< by a person: a recent project, a file, what was open before a crash
    Restored,   ///< as the window was when it was closed
    Sample,     ///< it trains by itself
    Created,    ///< just made from a table
    Duplicated, ///< a run's experiment, copied to be edited
};

} // namespace cannery::ui
