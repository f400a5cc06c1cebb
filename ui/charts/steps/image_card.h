// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/charts/steps/step_card.h"

#include <QImage>
#include <QList>
#include <QSize>

namespace cannery::ui {

/// A picture of an event file, or why there is none.
struct DecodedImage
{
    QImage image; ///< at most kLargestSide pixels wide and high
    QSize size;   ///< as logged
    QString problem;

    static constexpr int kLargestSide = 2048;
};

/// Decodes PNG, JPEG, GIF and BMP of at most 32 million pixels; everything else has a problem, a
/// sentence. Any thread.
DecodedImage decodeImage(const QByteArray& encoded);

/// The pictures of one tag, one step at a time. They are decoded in the background.
class ImageCard : public StepCard
{
    Q_OBJECT

public:
    explicit ImageCard(const SummaryKey& key, QWidget* parent = nullptr);

    void setHistory(const StepHistory<ImageStep>& history);
    /// Those of the current step; empty while they are being decoded.
    const QList<DecodedImage>& images() const { return m_images; }

protected:
    qsizetype stepCount() const override { return m_history.steps.size(); }
    qint64 stepAt(qsizetype number) const override { return m_history.steps[number]->step; }
    QString describe(qsizetype number) const override;
    void showStep(qsizetype number, bool isCursor) override;

private:
    void decode();

    QWidget* m_view;
    StepHistory<ImageStep> m_history;
    std::shared_ptr<const ImageStep> m_wanted;
    std::shared_ptr<const ImageStep> m_decoded; ///< whose images these are
    QList<DecodedImage> m_images;
    bool m_isDecoding = false;
};

} // namespace cannery::ui
