// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QList>
#include <QObject>

#include <functional>
#include <memory>

namespace cannery::ui {

/// A shipped example project.
struct Sample
{
    QString id;        ///< "titanic": the name of its folder
    QString title;     ///< "Titanic, wide and deep": the experiment's name
    QString sentence;  ///< what it predicts: the experiment file's first comment
    QString estimator; ///< "wide & deep"
    QString folder;    ///< absolute
    QString table;     ///< the file of its training rows, absolute; empty if it is not one table
    qint64 rows = 0;   ///< training rows; 0: unknown
    int columns = 0;
    int pictures = 0; ///< instead of rows and columns

    bool operator==(const Sample&) const = default;
};

/// The samples that come with the program, read in the background. They are in CANNERY_EXAMPLES, in
/// `../share/cannery/examples` relative to the program, or in the source tree. GUI thread.
class SampleLibrary : public QObject
{
    Q_OBJECT

public:
    explicit SampleLibrary(QObject* parent = nullptr);
    ~SampleLibrary() override;

    /// In teaching order; empty until the first changed().
    QList<Sample> samples() const;

    /// Copies a sample to a new folder in `projects` ("titanic", otherwise "titanic-2" …) in the
    /// background; nothing is ever overwritten. `done` gets the experiment file or the error.
    void copy(const QString& sample, const QString& projects,
              std::function<void(const QString& experimentFile, const QString& error)> done);
    /// Copies a sample in order to open it: made() or failed() follow.
    void make(const QString& sample, const QString& projects);

    /// The folder with all samples; empty if there is none.
    static QString libraryFolder();

Q_SIGNALS:
    void changed();
    void made(const QString& experiment);
    void failed(const QString& sentence);
    /// make() has begun (+1) or ended (-1).
    void working(int change);

private:
    class Private;
    std::unique_ptr<Private> m_private;
};

} // namespace cannery::ui
