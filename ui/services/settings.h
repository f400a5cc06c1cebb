#pragma once

#include <QObject>
#include <QVariant>

namespace cannery::ui {

/// What a person chose for the program, on every project. Written at once, applied at once by
/// whoever listens. GUI thread.
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

    /// `file`: an ini file; empty: the user's own.
    explicit Settings(const QString& file = {}, QObject* parent = nullptr);

    ThemeChoice theme() const;
    void setTheme(ThemeChoice theme);
    /// 1.0 … 2.0
    double textScale() const;
    void setTextScale(double scale);
    bool usesDesktopFont() const;
    void setUsesDesktopFont(bool uses);
    bool reducesMotion() const;
    void setReducesMotion(bool reduces);
    bool showsHoverReadout() const;
    void setShowsHoverReadout(bool shows);
    qint64 chartMemoryLimit() const;
    void setChartMemoryLimit(qint64 bytes);
    /// 0: the engine's own choice.
    int threads() const;
    void setThreads(int threads);
    int restarts() const;
    void setRestarts(int restarts);
    bool notifies() const;
    void setNotifies(bool notifies);

    /// Anything else that is kept between sessions: "window/geometry", "shortcuts/action.train".
    QVariant value(const QString& key, const QVariant& otherwise = {}) const;
    void setValue(const QString& key, const QVariant& value);

Q_SIGNALS:
    /// `key` of what changed: "theme", "textScale", …
    void changed(const QString& key);
};

} // namespace cannery::ui
