// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QString>
#include <QStringList>

namespace cannery::ui {

/// What the window has against an error of the engine.
enum class ProblemWay
{
    Edit,   ///< a button that changes the experiment: cureOf()
    Table,  ///< Data shows the file with its line: skip, read otherwise, choose another one
    Choice, ///< Data's Change Table
    Run,    ///< the button of the note on the ended run
    Field,  ///< only the person knows: the field is shown, or reset
    Text,   ///< the text is damaged where it stands: the text editor shows it
    None,   ///< no button of the window can help, or the window never meets it
};

/// What is changed against a problem.
enum class ProblemAct
{
    None,
    Set,           ///< `path` to `value`
    Unset,         ///< `path`
    LeaveOut,      ///< the field of the problem
    TakeOff,       ///< the element of a list, or the feature column that needs what is not there
    RemoveReaders, ///< the feature columns that read what the problem's field names
    Write,         ///< the name that the sentence suggests; otherwise as TakeOff
    ReadDense,     ///< the column through one that makes it numbers
    Suggest,       ///< the value that the schema suggests
};

/// One error, or (id "cluster.*") all of a room that have the same reason. All texts but the ids
/// are marked for translation in the context "ProblemCures".
struct ProblemEntry
{
    QString id;
    ProblemWay way = ProblemWay::Field;
    ProblemAct act = ProblemAct::None;
    const char* title = ""; ///< of the button of Set, Unset and LeaveOut
    const char* path = "";
    const char* value = "";
    const char* words = "";  ///< instead of the engine's sentence; if empty, that is kept
    const char* reason = ""; ///< why no button of its own helps; of all ways but Edit
};

/// The entry of an error of the engine; null if there is none.
const ProblemEntry* problemEntry(const QString& id);
/// All ids in the catalog, families included.
QStringList problemIds();

} // namespace cannery::ui
