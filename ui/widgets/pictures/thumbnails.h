// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QCache>
#include <QImage>
#include <QObject>
#include <QSet>
#include <QSize>
#include <QThreadPool>

namespace cannery::ui {

/// Small versions of picture files, made on two threads as they are asked for and kept while there
/// is room: at most 64 MiB. Pictures stand as their EXIF says. GUI thread.
class Thumbnails : public QObject
{
    Q_OBJECT

public:
    /// Each fits into `size`, in device pixels.
    explicit Thumbnails(const QSize& size, QObject* parent = nullptr);
    ~Thumbnails() override;

    enum class State
    {
        Coming,
        Ready,
        Broken, ///< no picture that can be read
    };
    /// What has become of a file; asks for it if it was never asked for, or has been forgotten.
    State stateOf(const QString& file);
    /// Null unless Ready.
    QImage image(const QString& file) const;
    /// Forgets what still waits, as after a jump to another place.
    void dropWaiting();

Q_SIGNALS:
    /// A file is no longer Coming.
    void settled(const QString& file);

private:
    void take(const QString& file, const QImage& image);

    QSize m_size;
    QThreadPool m_pool;
    mutable QCache<QString, QImage> m_images; ///< a null image: broken; costs in KiB
    QSet<QString> m_coming;
};

} // namespace cannery::ui
