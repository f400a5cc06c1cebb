// SPDX-License-Identifier: GPL-3.0-only
#pragma once

namespace cannery::ui {

/// Why a project was opened; decides what to show next.
enum class Opening
{
    Chosen,     ///< by the user: a recent project, a file, the project open before a crash
    Restored,   ///< from the last session
    Sample,     ///< starts training by itself
    Created,    ///< just created from a table
    Switched,   ///< another experiment of the project; the page stays
    Duplicated, ///< a run's experiment, copied to be edited
};

} // namespace cannery::ui
