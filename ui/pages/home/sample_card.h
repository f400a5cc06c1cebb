// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/services/projects/sample_library.h"

#include <QAbstractButton>

namespace cannery::ui {

/// A sample as a card with a small drawing; a click opens and trains it.
class SampleCard : public QAbstractButton
{
    Q_OBJECT

public:
    explicit SampleCard(const Sample& sample, QWidget* parent = nullptr);

    QString sampleId() const { return m_sample.id; }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    Sample m_sample;
};

/// The drawing of a sample, in theme colours.
void paintSampleThumbnail(QPainter& painter, const QRectF& where, const QString& sampleId);

} // namespace cannery::ui
