// SPDX-License-Identifier: GPL-3.0-only
#include "ui/actions/standard_actions.h"

#include "ui/actions/action_registry.h"

#include <QCoreApplication>

#include <span>

namespace cannery::ui {
namespace {

// Only marks a text, for lupdate; it is translated when its row is added, once the translator is
// installed.
#define TEXT(text) QT_TRANSLATE_NOOP("Actions", text)

struct Row
{
    const char* id;
    const char* text;
    const char* icon;
    MenuId menu;
    const char* group;
    const char* keys; ///< portable text
    const char* help;
    bool checkable = false;
    bool onFocusOnly = false;
};

constexpr Row kFile[] = {
    {"action.new_project", TEXT("&New Project…"), "folder-plus", MenuId::File, "open", "Ctrl+N",
     TEXT("Create a project from a table.")},
    {"action.open_project", TEXT("&Open Project…"), "folder-open", MenuId::File, "open", "Ctrl+O",
     TEXT("Open an experiment file or the folder of a project.")},
    {"action.open_data", TEXT("Open &Data File…"), "table-plus", MenuId::File, "open",
     "Ctrl+Shift+O", TEXT("Create a project from a CSV or TSV file; only its label is asked for.")},
    {"action.open_events", TEXT("Open Folder of E&vent Files…"), "chart-line", MenuId::File, "open",
     "", TEXT("Browse TensorBoard event files of any program, read-only.")},
    {"action.switch_experiment", TEXT("S&witch Experiment…"), "selector", MenuId::File,
     "experiment", "Ctrl+Shift+X", TEXT("List the project's experiments and open another one.")},
    {"action.new_from_this", TEXT("New Experiment from T&his"), "duplicate", MenuId::File,
     "experiment", "Ctrl+Shift+N", TEXT("Copy the experiment as it is shown and open the copy.")},
    {"action.rename_experiment", TEXT("&Rename Experiment…"), "pencil", MenuId::File, "experiment",
     "", TEXT("Change the experiment's name and its file's; runs keep theirs.")},
    {"action.compare_experiments", TEXT("Com&pare Experiments…"), "columns", MenuId::File,
     "experiment", "", TEXT("Show the fields in which two experiments of the project differ.")},
    {"action.trash_experiment", TEXT("&Move Experiment to Trash"), "trash", MenuId::File,
     "experiment", "", TEXT("Move the experiment's file to the desktop's trash; its runs stay.")},
    {"action.open_text_editor", TEXT("Open in &Text Editor"), "file-code", MenuId::File, "file", "",
     TEXT("Edit the experiment file; changes are picked up at once.")},
    {"action.show_in_folder", TEXT("Show in &Folder"), "folder", MenuId::File, "file", "",
     TEXT("Open the project's folder in the file manager.")},
    {"action.export_savedmodel", TEXT("&SavedModel…"), "package-export", MenuId::FileExport,
     "model", "Ctrl+E", TEXT("Write a run's model so that TensorFlow Serving can load it.")},
    {"action.export_predictions", TEXT("&Predict File…"), "table-import", MenuId::FileExport,
     "model", "", TEXT("Predict every row of a file and write a CSV.")},
    {"action.export_program", TEXT("tf.&estimator Program…"), "file-code", MenuId::FileExport,
     "model", "", TEXT("Write the experiment as a Python program of tf.estimator.")},
    {"action.export_scalars", TEXT("All Sc&alars…"), "file-export", MenuId::FileExport, "charts",
     "Ctrl+Shift+E", TEXT("Write every logged scalar of the shown runs as CSV.")},
    {"action.export_chart", TEXT("&Chart…"), "photo", MenuId::FileExport, "charts", "",
     TEXT("Write the focused chart as PNG, SVG, PDF or CSV.")},
    {"action.copy_chart", TEXT("Copy Chart as &Image"), "copy", MenuId::FileExport, "charts",
     "Ctrl+Shift+C", TEXT("Copy the focused chart to the clipboard.")},
    {"action.settings", TEXT("&Settings…"), "settings", MenuId::File, "settings", "Ctrl+,",
     TEXT("Appearance, charts, engine, storage, notifications, shortcuts.")},
    {"action.close_project", TEXT("&Close Project"), "x", MenuId::File, "end", "Ctrl+W",
     TEXT("Go back to Home; training continues.")},
    {"action.quit", TEXT("&Quit"), "door-exit", MenuId::File, "end", "Ctrl+Q",
     TEXT("Close the window.")},
};

constexpr Row kEdit[] = {
    {"action.undo", TEXT("&Undo"), "arrow-back-up", MenuId::Edit, "undo", "Ctrl+Z",
     TEXT("Undo the last change.")},
    {"action.redo", TEXT("&Redo"), "arrow-forward-up", MenuId::Edit, "undo", "Ctrl+Shift+Z",
     TEXT("Redo the last undone change.")},
    {"action.copy", TEXT("&Copy"), "copy", MenuId::Edit, "clipboard", "Ctrl+C",
     TEXT("Copy the selection; values in full precision.")},
    {"action.paste", TEXT("&Paste Table"), "clipboard", MenuId::Edit, "clipboard", "Ctrl+V",
     TEXT("Begin an experiment with the table in the clipboard, as a new file of the project.")},
    {"action.find", TEXT("&Find in Page"), "search", MenuId::Edit, "find", "Ctrl+F",
     TEXT("Go to the page's search field.")},
    {"action.filter", TEXT("Fi&lter Runs and Tags"), "filter", MenuId::Edit, "find", "Ctrl+L",
     TEXT("Go to the filter field.")},
    {"action.rename", TEXT("Re&name"), "pencil", MenuId::Edit, "row", "F2",
     TEXT("Give the selected run another name.")},
    {"action.trash", TEXT("Move to &Trash"), "trash", MenuId::Edit, "row", "Delete",
     TEXT("Move the selected runs to the Trash; Undo brings them back.")},
    {"action.add_feature_column", TEXT("&Add Feature Column…"), "plus", MenuId::Edit, "features",
     "Ctrl+Shift+A", TEXT("Make a feature column of the selected column of the table, by kind.")},
    {"action.add_cross", TEXT("Add Cr&oss"), "x", MenuId::Edit, "features", "",
     TEXT("Combine two categorical columns into one feature column.")},
    {"action.suggest_features", TEXT("&Suggest Feature Columns"), "wand", MenuId::Edit, "features",
     "", TEXT("Show the feature columns that a new experiment for this table would have.")},
    {"action.feature_templates", TEXT("Feature Te&mplates…"), "layout-grid", MenuId::Edit,
     "features", "", TEXT("Apply feature columns that you keep under a name, or keep these.")},
};

constexpr Row kView[] = {
    {"action.inspector", TEXT("&Inspector"), "layout-sidebar-right", MenuId::View, "panels",
     "Ctrl+I", TEXT("Details of the selection."), true},
    {"action.issues", TEXT("I&ssues"), "alert-triangle", MenuId::View, "panels", "Alt+1",
     TEXT("Problems in the experiment."), true},
    {"action.log", TEXT("&Log"), "file-text", MenuId::View, "panels", "Alt+2",
     TEXT("Messages of the engines."), true},
    {"action.jobs", TEXT("&Jobs"), "list-check", MenuId::View, "panels", "Alt+3",
     TEXT("Exports, predictions and other background jobs."), true},
    {"action.focus_mode", TEXT("&Focus Mode"), "focus", MenuId::View, "panels", "F11",
     TEXT("Show only the page: no rail, inspector or drawer."), true},
    {"action.theme_light", TEXT("Light T&heme"), "sun", MenuId::View, "theme", "",
     TEXT("Use light colours."), true},
    {"action.theme_dark", TEXT("&Dark Theme"), "moon", MenuId::View, "theme", "",
     TEXT("Use dark colours."), true},
    {"action.theme_desktop", TEXT("Theme of the Des&ktop"), "device-desktop", MenuId::View, "theme",
     "", TEXT("Light or dark, like the desktop."), true},
    {"action.text_larger", TEXT("&Larger Text"), "text-increase", MenuId::View, "text", "Ctrl++",
     TEXT("Enlarge the text, up to twice the size.")},
    {"action.text_smaller", TEXT("S&maller Text"), "text-decrease", MenuId::View, "text", "Ctrl+-",
     TEXT("Reduce the text size by one step.")},
    {"action.text_reset", TEXT("Defa&ult Text Size"), "text-size", MenuId::View, "text", "Ctrl+0",
     TEXT("Use the desktop's text size.")},
    {"action.compare_parameters", TEXT("Compare &Parameters"), "columns", MenuId::View, "charts",
     "",
     TEXT("Show the parameters of the shown runs beside their metric, in parallel coordinates."),
     true},
    {"action.follow", TEXT("Follow &New Data"), "arrow-bar-to-right", MenuId::View, "charts", "F",
     TEXT("Keep the newest step in view."), true, true},
    {"action.reset_zoom", TEXT("Reset &Zoom"), "zoom-reset", MenuId::View, "charts", "Home",
     TEXT("Show all of the curves."), false, true},
    {"action.log_y", TEXT("Logarithmic &y"), "log-axis", MenuId::View, "charts", "L",
     TEXT("Use a logarithmic y axis; values at or below 0 are counted, not drawn."), true, true},
    {"action.log_x", TEXT("Logarithmic &x"), "log-axis", MenuId::View, "charts", "Shift+L",
     TEXT("Use a logarithmic x axis."), true, true},
    {"action.next_x_axis", TEXT("Next x &Axis"), "arrows-horizontal", MenuId::View, "charts", "X",
     TEXT("Step, epoch, wall clock, relative time."), false, true},
    {"action.outliers", TEXT("Ignore &Outliers"), "chart-dots", MenuId::View, "charts", "O",
     TEXT("Fit the y axis to the 5th to 95th percentile."), true, true},
    {"action.more_smoothing", TEXT("&More Smoothing"), "wave-sine", MenuId::View, "charts", "]",
     TEXT("Smooth the lines more; the logged values stay visible behind them."), false, true},
    {"action.less_smoothing", TEXT("L&ess Smoothing"), "chart-line", MenuId::View, "charts", "[",
     TEXT("Smooth the lines less."), false, true},
};

constexpr Row kRun[] = {
    {"action.train", TEXT("&Train"), "player-play", MenuId::Run, "train", "Ctrl+R",
     TEXT("Start a run of the experiment as it is now.")},
    {"action.pause", TEXT("&Pause"), "player-pause", MenuId::Run, "live", "Ctrl+Shift+R",
     TEXT("Pause between two steps; resume with the same keys.")},
    {"action.stop_keep", TEXT("&Stop and Keep"), "player-stop", MenuId::Run, "live", "Ctrl+.",
     TEXT("Write a checkpoint, evaluate, and end the run.")},
    {"action.stop_discard", TEXT("Stop &Without Saving"), "ban", MenuId::Run, "live", "",
     TEXT("End the run now; the last checkpoint is kept.")},
    {"action.checkpoint_now", TEXT("&Checkpoint Now"), "device-floppy", MenuId::Run, "live",
     "Ctrl+Shift+S", TEXT("Write a checkpoint at the current step.")},
    {"action.resume_run", TEXT("&Resume Run"), "player-play", MenuId::Run, "again", "",
     TEXT("Continue from the run's last checkpoint.")},
    {"action.duplicate", TEXT("&Duplicate Run and Edit"), "copy", MenuId::Run, "again", "Ctrl+D",
     TEXT("Copy the run's frozen experiment to a new one.")},
    {"action.queue_run", TEXT("Add to &Queue"), "clock", MenuId::Run, "again", "Ctrl+Shift+Q",
     TEXT("Train this experiment after the waiting runs.")},
    {"action.sweep", TEXT("Start Sw&eep"), "layout-grid", MenuId::Run, "again", "",
     TEXT(
         "Train the experiment with the values of its sweep, as many runs; go on with a sweep that "
         "was interrupted.")},
    {"action.star", TEXT("St&ar"), "star", MenuId::Run, "row", "S",
     TEXT("Mark the selected runs with a star."), false, true},
    {"action.show_hide", TEXT("Show or &Hide in Charts"), "eye", MenuId::Run, "row", "Space",
     TEXT("Show or hide the selected runs in the charts."), false, true},
};

constexpr Row kTools[] = {
    {"action.palette", TEXT("Command &Palette…"), "search", MenuId::Tools, "palette", "Ctrl+K",
     TEXT("Find any action, page, run, tag or setting by a few letters.")},
    {"action.show_command", TEXT("Show &Command"), "terminal", MenuId::Tools, "palette", "Ctrl+J",
     TEXT("Show the command line that does what this page does.")},
    {"action.check", TEXT("C&heck Project Files"), "checks", MenuId::Tools, "store", "Ctrl+Shift+K",
     TEXT("Read the experiment and its data again and list every problem.")},
    {"action.rescan", TEXT("&Rescan Runs"), "refresh", MenuId::Tools, "store", "",
     TEXT("Rebuild the run store from the run folders.")},
    {"action.shortcuts", TEXT("&Keyboard Shortcuts"), "keyboard", MenuId::Help, "help", "Ctrl+?",
     TEXT("View and change all shortcuts.")},
    {"action.help", TEXT("Cannery &Help"), "help-circle", MenuId::Help, "help", "F1",
     TEXT("Explain what has the focus, and the words of the glossary.")},
    {"action.about", TEXT("&About Cannery"), "info-circle", MenuId::Help, "about", "",
     TEXT("Version, licences and folders.")},
};

constexpr Row kWindow[] = {
    {"action.next_area", TEXT("&Next Area"), "arrow-right", MenuId::Window, "focus", "F6",
     TEXT("Move the focus to the next area: rail, page, inspector, drawer.")},
    {"action.previous_area", TEXT("&Previous Area"), "arrow-left", MenuId::Window, "focus",
     "Shift+F6", TEXT("Move the focus to the previous area.")},
    {"action.minimize", TEXT("&Minimize"), "minus", MenuId::Window, "window", "Ctrl+M",
     TEXT("Minimize the window; training continues.")},
    {"action.full_screen", TEXT("&Full Screen"), "maximize", MenuId::Window, "window", "",
     TEXT("Show the window on the whole screen."), true},
};

#undef TEXT

void addRows(ActionRegistry& registry, std::span<const Row> rows)
{
    const auto tr = [](const char* text) { return QCoreApplication::translate("Actions", text); };
    for (const Row& row : rows) {
        registry.add({.id = row.id,
                      .text = tr(row.text),
                      .icon = row.icon,
                      .menu = row.menu,
                      .shortcut = QKeySequence(row.keys, QKeySequence::PortableText),
                      // A window-wide shortcut without a modifier would take letters from whatever
                      // field is typed in.
                      .help = tr(row.help),
                      .checkable = row.checkable,
                      .group = row.group,
                      .context = row.onFocusOnly ? Qt::WidgetShortcut : Qt::WindowShortcut});
    }
}

} // namespace

void addStandardActions(ActionRegistry& registry)
{
    for (const auto rows : {std::span<const Row>(kFile), std::span<const Row>(kEdit),
                            std::span<const Row>(kView), std::span<const Row>(kRun),
                            std::span<const Row>(kTools), std::span<const Row>(kWindow)}) {
        addRows(registry, rows);
    }
}

} // namespace cannery::ui
