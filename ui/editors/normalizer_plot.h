// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/normalizer_picture.h"

#include <QWidget>

namespace cannery::ui {

class Label;

/// Histograms of a column's numbers before and after its normalizer, one above the other, each with
/// its range, and the normalizer's formula and effect in words. Shows what it is given. GUI thread.
class NormalizerPlot : public QWidget
{
    Q_OBJECT

public:
    explicit NormalizerPlot(QWidget* parent = nullptr);

    /// Nothing is drawn without a formula.
    void setShown(const NormalizerPicture& shown);

private:
    class Bars;

    Label* m_title;
    Bars* m_before;
    Bars* m_after;
    Label* m_beforeWords;
    Label* m_afterWords;
    Label* m_formula;
    Label* m_sentence;
};

} // namespace cannery::ui
