// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/steps/image_card.h"

#include "ui/models/formats.h"
#include "ui/widgets/style/painting.h"
#include "ui/widgets/style/theme.h"

#include <QBuffer>
#include <QCoreApplication>
#include <QImageReader>
#include <QPainter>
#include <QPointer>
#include <QThreadPool>

#include <algorithm>
#include <cmath>

namespace cannery::ui {
namespace {

constexpr qint64 kMostPixels = 32'000'000;

/// The decoders that may be used: others load files or run programs of their own.
QByteArray imageFormatOf(const QByteArray& encoded)
{
    if (encoded.startsWith("\x89PNG\r\n")) {
        return "png";
    }
    if (encoded.startsWith("\xff\xd8\xff")) {
        return "jpeg";
    }
    if (encoded.startsWith("GIF8")) {
        return "gif";
    }
    return encoded.startsWith("BM") ? "bmp" : "";
}

QString imageProblem(const char* text)
{
    return QCoreApplication::translate("ImageCard", text);
}

/// Pictures side by side, as large as there is room; small ones with sharp pixels.
class ImageView : public QWidget
{
public:
    explicit ImageView(const ImageCard& card) : m_card(card)
    {
        setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    }

protected:
    void paintEvent(QPaintEvent* /*event*/) override
    {
        const QList<DecodedImage>& images = m_card.images();
        if (images.isEmpty()) {
            return;
        }
        QPainter painter(this);
        const int columns = int(std::ceil(std::sqrt(double(images.size()))));
        const int rows = (int(images.size()) + columns - 1) / columns;
        const QSizeF cell(double(width()) / columns, double(height()) / rows);
        for (int i = 0; i < int(images.size()); ++i) {
            const QRectF where(QPointF((i % columns) * cell.width(), (i / columns) * cell.height()),
                               cell);
            paintOne(painter, where.adjusted(1, 1, -1, -1), images[i]);
        }
    }

private:
    static void paintOne(QPainter& painter, const QRectF& where, const DecodedImage& image)
    {
        if (image.image.isNull()) {
            painter.setFont(textFont(TextRole::Label));
            painter.setPen(tokens().text2);
            paintWords(painter, where, Qt::AlignCenter | Qt::TextWordWrap, image.problem);
            return;
        }
        const QSizeF size = QSizeF(image.image.size()).scaled(where.size(), Qt::KeepAspectRatio);
        QRectF place(QPointF(), size);
        place.moveCenter(where.center());
        painter.setRenderHint(QPainter::SmoothPixmapTransform, size.width() < image.image.width());
        painter.drawImage(place, image.image);
    }

    const ImageCard& m_card;
};

} // namespace

DecodedImage decodeImage(const QByteArray& encoded)
{
    DecodedImage decoded;
    const QByteArray format = imageFormatOf(encoded);
    if (format.isEmpty()) {
        decoded.problem = imageProblem("This is not a PNG, JPEG, GIF or BMP picture.");
        return decoded;
    }
    QBuffer bytes;
    bytes.setData(encoded);
    bytes.open(QIODevice::ReadOnly);
    QImageReader reader(&bytes, format);
    reader.setDecideFormatFromContent(false);
    decoded.size = reader.size();
    if (qint64{decoded.size.width()} * decoded.size.height() > kMostPixels) {
        decoded.problem = imageProblem("%1 × %2 pixels are too many to show.")
                              .arg(decoded.size.width())
                              .arg(decoded.size.height());
        return decoded;
    }
    decoded.image = decoded.size.isValid() ? reader.read() : QImage();
    if (decoded.image.isNull()) {
        decoded.problem = imageProblem("This picture is damaged.");
        return decoded;
    }
    constexpr int kLargest = DecodedImage::kLargestSide;
    if (decoded.image.width() > kLargest || decoded.image.height() > kLargest) {
        decoded.image =
            decoded.image.scaled(kLargest, kLargest, Qt::KeepAspectRatio, Qt::SmoothTransformation);
    }
    return decoded;
}

ImageCard::ImageCard(const SummaryKey& key, QWidget* parent)
    : StepCard(key, Slider::Shown, parent), m_view(new ImageView(*this))
{
    m_view->setObjectName("view.images");
    setContent(m_view);
}

void ImageCard::setHistory(const StepHistory<ImageStep>& history)
{
    if (history != m_history) {
        m_history = history;
        stepsChanged(shownOf(m_history.steps.size(), m_history.logged));
    }
}

QString ImageCard::describe(qsizetype number) const
{
    const auto& step = m_history.steps[number];
    QStringList facts{tr("Step %1").arg(formatCount(step->step))};
    if (step->encoded.size() > 1) {
        facts += tr("%1 pictures").arg(step->encoded.size());
    }
    if (step == m_decoded && !m_images.isEmpty()) {
        const DecodedImage& first = m_images.front();
        facts += first.problem.isEmpty()
                     ? tr("%1 × %2 pixels").arg(first.size.width()).arg(first.size.height())
                     : first.problem;
    }
    return facts.join(QStringLiteral(" · "));
}

void ImageCard::showStep(qsizetype number, bool /*isCursor*/)
{
    m_wanted = m_history.steps[number];
    decode();
}

/// One step at a time, and then the one that is wanted by then.
void ImageCard::decode()
{
    if (m_isDecoding || m_wanted == m_decoded) {
        return;
    }
    m_isDecoding = true;
    QThreadPool::globalInstance()->start([guard = QPointer<ImageCard>(this), step = m_wanted] {
        QList<DecodedImage> images;
        for (const QByteArray& encoded : step->encoded) {
            images.append(decodeImage(encoded));
        }
        QMetaObject::invokeMethod(
            qApp,
            [guard, step, images] {
                if (guard) {
                    guard->m_isDecoding = false;
                    guard->m_decoded = step;
                    guard->m_images = images;
                    guard->m_view->update();
                    guard->stepsChanged(
                        shownOf(guard->m_history.steps.size(), guard->m_history.logged));
                }
            },
            Qt::QueuedConnection);
    });
}

} // namespace cannery::ui
