#pragma once

#include <QDateTime>
#include <QObject>

namespace cannery::ui {

class Settings;

/// A project that was open before, with what Home shows of it.
struct RecentProject
{
    QString folder;
    QString experimentFile;
    QString name;
    QDateTime openedAt;
    bool exists = true;
    int runCount = 0;
    qint64 rows = 0;
    QString bestMetric; ///< "auc"
    double bestValue = 0;
    QString liveState; ///< "Running" when something trains now
    QList<double> sparkline;
};

/// The projects opened lately, newest first; facts about each are read in the background. GUI
/// thread.
class RecentProjects : public QObject
{
    Q_OBJECT

public:
    explicit RecentProjects(Settings& settings, QObject* parent = nullptr);
    ~RecentProjects() override;

    QList<RecentProject> projects() const;
    void noteOpened(const QString& folder, const QString& experimentFile, const QString& name);
    void remove(const QString& folder);
    void refresh();

Q_SIGNALS:
    void changed();

private:
    void readFacts(int index);

    Settings* m_settings;
    QList<RecentProject> m_projects;
};

} // namespace cannery::ui
