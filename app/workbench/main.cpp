// SPDX-License-Identifier: GPL-3.0-only
#include "app/version.h"
#include "app/workbench/start_options.h"
#include "ui/frame/main_window.h"
#include "ui/frame/theme_control.h"
#include "ui/models/window_locale.h"
#include "ui/services/projects/project_session.h"
#include "ui/services/projects/settings.h"

#include <QApplication>
#include <QLibraryInfo>
#include <QLocale>
#include <QTranslator>

#include <csignal>

namespace {

/// Loads Qt's translations ("&Open" in file dialogs) and ours for the desktop's language.
void installTranslations(QApplication& application)
{
    auto* ofQt = new QTranslator(&application);
    if (ofQt->load(QLocale(), "qtbase", "_", QLibraryInfo::path(QLibraryInfo::TranslationsPath))) {
        QCoreApplication::installTranslator(ofQt);
    }
    auto* ours = new QTranslator(&application);
    if (ours->load(QLocale(), "cannery", "_",
                   QCoreApplication::applicationDirPath() + "/../share/cannery/translations")) {
        QCoreApplication::installTranslator(ours);
    }
}

} // namespace

int main(int argc, char** argv)
{
    std::signal(SIGPIPE, SIG_IGN);
    QApplication application(argc, argv);
    QCoreApplication::setApplicationName("cannery-workbench");
    QCoreApplication::setApplicationVersion(cannery::versionWithCommit());
    QGuiApplication::setApplicationDisplayName("Cannery");
    QGuiApplication::setDesktopFileName("org.cannery.Workbench");
    installTranslations(application);
    cannery::ui::useLanguage(QLocale());
    const auto options = cannery::workbench::readStartOptions(QCoreApplication::arguments());

    cannery::ui::ProjectSession session;
    if (options.dark) {
        using Theme = cannery::ui::Settings::ThemeChoice;
        session.settings().setTheme(*options.dark ? Theme::Dark : Theme::Light);
    }
    cannery::ui::ThemeControl theme(application, session.settings());
    cannery::ui::MainWindow window(session, theme);
    window.restoreWindow();
    window.show();
    if (!options.path.isEmpty()) {
        QObject::connect(&session.project(), &cannery::ui::OpenProject::openedElsewhere,
                         &application, &QCoreApplication::quit);
        window.openPath(options.path);
        session.recovery().findLost();
    } else if (options.fresh) {
        window.navigate("home");
    } else {
        session.recovery().restoreLast();
    }
    return QApplication::exec();
}
