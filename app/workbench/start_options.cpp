// SPDX-License-Identifier: GPL-3.0-only
#include "app/workbench/start_options.h"

#include <QCommandLineParser>
#include <QCoreApplication>
#include <QFileInfo>

namespace cannery::workbench {

StartOptions readStartOptions(const QStringList& arguments)
{
    QCommandLineParser parser;
    parser.setApplicationDescription(
        QCoreApplication::translate("Workbench", "Open a table, pick an estimator, press Train."));
    parser.addHelpOption();
    parser.addVersionOption();
    const QCommandLineOption light(
        "light", QCoreApplication::translate("Workbench", "Switch to the light theme."));
    const QCommandLineOption dark(
        "dark", QCoreApplication::translate("Workbench", "Switch to the dark theme."));
    const QCommandLineOption fresh(
        "fresh", QCoreApplication::translate("Workbench", "Start on Home instead of the last "
                                                          "project."));
    parser.addOptions({light, dark, fresh});
    parser.addPositionalArgument(
        "path", QCoreApplication::translate("Workbench", "A project, an experiment, a CSV or TSV "
                                                         "file, or a folder of event files."));
    parser.process(arguments);
    StartOptions options;
    const QStringList paths = parser.positionalArguments();
    if (!paths.isEmpty()) {
        options.path = QFileInfo(paths.first()).absoluteFilePath();
    }
    if (parser.isSet(light) || parser.isSet(dark)) {
        options.dark = parser.isSet(dark);
    }
    options.fresh = parser.isSet(fresh);
    return options;
}

} // namespace cannery::workbench
