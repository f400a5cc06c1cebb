// SPDX-License-Identifier: GPL-3.0-only
#include "ui/services/projects/settings.h"

#include "ui/document/background.h"
#include "ui/document/file_watcher.h"

#include <QDir>
#include <QHash>
#include <QSettings>
#include <QStandardPaths>
#include <QThreadPool>

#include <algorithm>

namespace cannery::ui {
namespace {

using Values = QHash<QString, QVariant>;

constexpr qint64 kLeastChartMemory = 64'000'000;
constexpr qint64 kUsualChartMemory = 256'000'000;
constexpr int kMostRestarts = 3;

const auto kTheme = QStringLiteral("theme");
const auto kTextScale = QStringLiteral("textScale");
const auto kUsesDesktopFont = QStringLiteral("usesDesktopFont");
const auto kReducesMotion = QStringLiteral("reducesMotion");
const auto kShowsHoverReadout = QStringLiteral("showsHoverReadout");
const auto kChartMemoryLimit = QStringLiteral("chartMemoryLimit");
const auto kThreads = QStringLiteral("threads");
const auto kRestarts = QStringLiteral("restarts");
const auto kNotifies = QStringLiteral("notifies");
const auto kProjectsFolder = QStringLiteral("projectsFolder");

QString usersOwnFile()
{
    return QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation) +
           QStringLiteral("/cannery/workbench.ini");
}

Values readAll(const QString& file)
{
    const QSettings settings(file, QSettings::IniFormat);
    Values values;
    const QStringList keys = settings.allKeys();
    for (const QString& key : keys) {
        values.insert(key, settings.value(key));
    }
    return values;
}

void writeOne(const QString& file, const QString& key, const QVariant& value)
{
    // QSettings keeps the keys that other windows have written meanwhile.
    QSettings settings(file, QSettings::IniFormat);
    if (value.isValid()) {
        settings.setValue(key, value);
    } else {
        settings.remove(key);
    }
    settings.sync();
}

} // namespace

class Settings::Private
{
public:
    void takeOver(const Values& values, Settings* owner);

    QString m_file;
    Values m_values;
    int m_pending = 0; ///< writes not yet on disk
    QThreadPool m_pool;
    FileWatcher m_watcher;
};

/// Takes over another window's changes.
void Settings::Private::takeOver(const Values& values, Settings* owner)
{
    if (m_pending > 0) {
        return; // the file will change once more
    }
    QStringList keys = m_values.keys();
    keys.append(values.keys());
    keys.removeDuplicates();
    const Values before = std::exchange(m_values, values);
    for (const QString& key : std::as_const(keys)) {
        // A number read from the file is a text.
        if (before.value(key) != values.value(key) &&
            before.value(key).toString() != values.value(key).toString()) {
            Q_EMIT owner->changed(key);
        }
    }
}

Settings::Settings(const QString& file, QObject* parent)
    : QObject(parent), m_private(std::make_unique<Private>())
{
    // A file of their own in tests.
    m_private->m_file = file.isEmpty() ? usersOwnFile() : file;
    m_private->m_values = readAll(m_private->m_file);
    // One thread, so that two values of one key are written in order.
    m_private->m_pool.setMaxThreadCount(1);
    connect(&m_private->m_watcher, &FileWatcher::changed, this, [this] {
        inBackground(
            m_private->m_pool, this, [path = m_private->m_file] { return readAll(path); },
            [this](const Values& values) { m_private->takeOver(values, this); });
    });
    m_private->m_watcher.watch(m_private->m_file);
}

Settings::~Settings()
{
    m_private->m_pool.waitForDone();
}

QString Settings::file() const
{
    return m_private->m_file;
}

QVariant Settings::value(const QString& key, const QVariant& otherwise) const
{
    return m_private->m_values.value(key, otherwise);
}

void Settings::setValue(const QString& key, const QVariant& value)
{
    if (value.isValid() ? m_private->m_values.value(key) == value
                        : !m_private->m_values.contains(key)) {
        return;
    }
    if (value.isValid()) {
        m_private->m_values.insert(key, value);
    } else {
        m_private->m_values.remove(key);
    }
    ++m_private->m_pending;
    inBackground(
        m_private->m_pool, this,
        [file = m_private->m_file, key, value] {
            writeOne(file, key, value);
            return true;
        },
        [this](bool) { --m_private->m_pending; });
    Q_EMIT changed(key);
}

Settings::ThemeChoice Settings::theme() const
{
    const int choice = value(kTheme, 0).toInt();
    return choice == 1   ? ThemeChoice::Light
           : choice == 2 ? ThemeChoice::Dark
                         : ThemeChoice::Desktop;
}

void Settings::setTheme(ThemeChoice theme)
{
    setValue(kTheme, static_cast<int>(theme));
}

double Settings::textScale() const
{
    // The file may have been edited by hand.
    return std::clamp(value(kTextScale, 1.0).toDouble(), 1.0, 2.0);
}

void Settings::setTextScale(double scale)
{
    setValue(kTextScale, std::clamp(scale, 1.0, 2.0));
}

bool Settings::usesDesktopFont() const
{
    return value(kUsesDesktopFont, false).toBool();
}

void Settings::setUsesDesktopFont(bool uses)
{
    setValue(kUsesDesktopFont, uses);
}

bool Settings::reducesMotion() const
{
    return value(kReducesMotion, false).toBool();
}

void Settings::setReducesMotion(bool reduces)
{
    setValue(kReducesMotion, reduces);
}

bool Settings::showsHoverReadout() const
{
    return value(kShowsHoverReadout, true).toBool();
}

void Settings::setShowsHoverReadout(bool shows)
{
    setValue(kShowsHoverReadout, shows);
}

qint64 Settings::chartMemoryLimit() const
{
    return std::max(kLeastChartMemory, value(kChartMemoryLimit, kUsualChartMemory).toLongLong());
}

void Settings::setChartMemoryLimit(qint64 bytes)
{
    setValue(kChartMemoryLimit, std::max(kLeastChartMemory, bytes));
}

int Settings::threads() const
{
    return std::max(0, value(kThreads, 0).toInt());
}

void Settings::setThreads(int threads)
{
    setValue(kThreads, std::max(0, threads));
}

int Settings::restarts() const
{
    return std::clamp(value(kRestarts, kMostRestarts).toInt(), 0, kMostRestarts);
}

void Settings::setRestarts(int restarts)
{
    setValue(kRestarts, std::clamp(restarts, 0, kMostRestarts));
}

bool Settings::notifies() const
{
    return value(kNotifies, true).toBool();
}

void Settings::setNotifies(bool notifies)
{
    setValue(kNotifies, notifies);
}

QString Settings::projectsFolder() const
{
    const QString chosen = value(kProjectsFolder).toString();
    return !chosen.isEmpty() ? chosen
                             : QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation) +
                                   QStringLiteral("/Cannery");
}

void Settings::setProjectsFolder(const QString& folder)
{
    setValue(kProjectsFolder, folder.isEmpty() ? QVariant() : QVariant(folder));
}

} // namespace cannery::ui
