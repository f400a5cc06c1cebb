// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QObject>
#include <QVariant>

#include <memory>

namespace cannery::ui {

/// The user's settings for the program, for all projects. Receivers apply them at once, they are
/// written in the background, and changes by another window are taken over. GUI thread.
class Settings : public QObject
{
    Q_OBJECT

public:
    enum class ThemeChoice
    {
        Desktop,
        Light,
        Dark,
    };

    /// `file`: an ini file; the user's own if empty.
    explicit Settings(const QString& file = {}, QObject* parent = nullptr);
    /// Waits for pending writes.
    ~Settings() override;

    QString file() const;

    ThemeChoice theme() const;
    void setTheme(ThemeChoice theme);
    /// 1.0 to 2.0
    double textScale() const;
    void setTextScale(double scale);
    bool usesDesktopFont() const;
    void setUsesDesktopFont(bool uses);
    bool reducesMotion() const;
    void setReducesMotion(bool reduces);
    bool showsHoverReadout() const;
    void setShowsHoverReadout(bool shows);
    /// Bytes; at least 64 MB.
    qint64 chartMemoryLimit() const;
    void setChartMemoryLimit(qint64 bytes);
    /// 0: the engine's own choice.
    int threads() const;
    void setThreads(int threads);
    /// How often per hour a killed engine is restarted, 0 to 3.
    int restarts() const;
    void setRestarts(int restarts);
    bool notifies() const;
    void setNotifies(bool notifies);
    /// Where samples and new projects are created: "~/Documents/Cannery" by default.
    QString projectsFolder() const;
    void setProjectsFolder(const QString& folder);

    /// Other values kept between sessions: "window/geometry", "shortcuts/action.train".
    QVariant value(const QString& key, const QVariant& otherwise = {}) const;
    /// An invalid QVariant removes the key.
    void setValue(const QString& key, const QVariant& value);

Q_SIGNALS:
    /// `key` is what changed: "theme", "textScale", "usesDesktopFont", "reducesMotion",
    /// "showsHoverReadout", "chartMemoryLimit", "threads", "restarts", "notifies",
    /// "projectsFolder", or any other key.
    void changed(const QString& key);

private:
    class Private;
    std::unique_ptr<Private> m_private;
};

} // namespace cannery::ui
