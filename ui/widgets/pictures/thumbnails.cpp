// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/pictures/thumbnails.h"

#include <QImageReader>

#include <algorithm>

namespace cannery::ui {
namespace {

constexpr int kMostKib = 64 * 1024;

/// Decoded at a reduced size where the format can do that, as JPEG can.
QImage readThumbnail(const QString& file, const QSize& room)
{
    QImageReader reader(file);
    reader.setAutoTransform(true);
    if (const QSize size = reader.size();
        size.isValid() && (size.width() > room.width() || size.height() > room.height())) {
        reader.setScaledSize(size.scaled(room, Qt::KeepAspectRatio).expandedTo({1, 1}));
    }
    const QImage image = reader.read();
    // Formats that cannot tell their size first, and pictures that EXIF turns.
    return image.width() > room.width() || image.height() > room.height()
               ? image.scaled(room, Qt::KeepAspectRatio, Qt::SmoothTransformation)
               : image;
}

} // namespace

Thumbnails::Thumbnails(const QSize& size, QObject* parent)
    : QObject(parent), m_size(size), m_images(kMostKib)
{
    m_pool.setMaxThreadCount(2);
}

Thumbnails::~Thumbnails()
{
    m_pool.clear();
    m_pool.waitForDone();
}

Thumbnails::State Thumbnails::stateOf(const QString& file)
{
    if (const QImage* image = m_images.object(file)) {
        return image->isNull() ? State::Broken : State::Ready;
    }
    if (!m_coming.contains(file)) {
        m_coming.insert(file);
        m_pool.start([this, file, size = m_size] {
            const QImage image = readThumbnail(file, size);
            QMetaObject::invokeMethod(
                this, [this, file, image] { take(file, image); }, Qt::QueuedConnection);
        });
    }
    return State::Coming;
}

QImage Thumbnails::image(const QString& file) const
{
    const QImage* image = m_images.object(file);
    return image ? *image : QImage();
}

void Thumbnails::dropWaiting()
{
    m_pool.clear();
    m_coming.clear();
}

void Thumbnails::take(const QString& file, const QImage& image)
{
    m_coming.remove(file);
    m_images.insert(file, new QImage(image),
                    std::max(1, static_cast<int>(image.sizeInBytes() / 1024)));
    Q_EMIT settled(file);
}

} // namespace cannery::ui
