// SPDX-License-Identifier: GPL-3.0-only
#include "ui/editors/normalizer_plot.h"

#include "ui/models/formats.h"
#include "ui/widgets/label.h"
#include "ui/widgets/style/painting.h"
#include "ui/widgets/style/theme.h"

#include <QPainter>
#include <QVBoxLayout>

#include <algorithm>

namespace cannery::ui {

namespace {

constexpr int kBins = 30;
constexpr double kLeastShare = 0.02; ///< of the height: a bin that is not empty is seen

} // namespace

/// A histogram over its own range, with its ends and zero named below.
class NormalizerPlot::Bars : public QWidget
{
public:
    explicit Bars(int series) : m_series(series)
    {
        setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    }

    void setNumbers(const NumberDistribution& numbers)
    {
        m_numbers = numbers.evened(kBins);
        setVisible(!m_numbers.isEmpty());
        update();
    }

    QSize sizeHint() const override { return {scaled(200), scaled(72)}; }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        painter.setFont(textFont(TextRole::Axis));
        const QFontMetricsF metrics(painter.font());
        const QRectF where(1, 0, width() - 2, height() - metrics.height() - scaled(2));
        paintBars(painter, where);
        painter.setPen(QPen(tokens().border, 1));
        painter.drawLine(where.bottomLeft(), where.bottomRight());
        painter.setPen(tokens().text2);
        const QRectF words(where.left(), where.bottom() + scaled(2), where.width(),
                           metrics.height());
        paintWords(painter, words, Qt::AlignLeft, formatNumber(m_numbers.edges.first()));
        paintWords(painter, words, Qt::AlignRight, formatNumber(m_numbers.edges.last()));
    }

private:
    void paintBars(QPainter& painter, const QRectF& where) const
    {
        const double most =
            std::max(1.0, *std::max_element(m_numbers.counts.begin(), m_numbers.counts.end()));
        const double width = where.width() / double(m_numbers.counts.size());
        painter.setPen(Qt::NoPen);
        painter.setBrush(mixed(tokens().surface, tokens().series[m_series], 0.65));
        for (qsizetype i = 0; i < m_numbers.counts.size(); ++i) {
            const double count = m_numbers.counts[i];
            const double share = count > 0 ? std::max(count / most, kLeastShare) : 0;
            painter.drawRect(QRectF(where.left() + double(i) * width,
                                    where.bottom() - share * where.height(),
                                    std::max(1.0, width - 1), share * where.height()));
        }
    }

    NumberDistribution m_numbers;
    int m_series;
};

NormalizerPlot::NormalizerPlot(QWidget* parent)
    : QWidget(parent), m_title(new Label(tr("Before and after"), TextRole::LabelStrong)),
      m_before(new Bars(0)), m_after(new Bars(1)),
      m_beforeWords(new Label({}, TextRole::Label, Ink::Secondary)),
      m_afterWords(new Label({}, TextRole::Label, Ink::Secondary)),
      m_formula(new Label({}, TextRole::Label)),
      m_sentence(new Label({}, TextRole::Label, Ink::Secondary))
{
    setObjectName("plot.normalizer");
    setAccessibleName(tr("Numbers before and after the normalizer"));
    m_before->setObjectName("plot.before");
    m_after->setObjectName("plot.after");
    m_beforeWords->setObjectName("words.before");
    m_afterWords->setObjectName("words.after");
    m_formula->setObjectName("words.formula");
    m_sentence->setObjectName("words.normalizer");
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(scaled(6));
    column->addWidget(m_title);
    for (Label* words : {m_beforeWords, m_formula, m_afterWords, m_sentence}) {
        words->setWordWrap(true);
    }
    column->addWidget(m_before);
    column->addWidget(m_beforeWords);
    column->addWidget(m_formula);
    column->addWidget(m_after);
    column->addWidget(m_afterWords);
    column->addWidget(m_sentence);
    hide();
}

void NormalizerPlot::setShown(const NormalizerPicture& shown)
{
    setVisible(!shown.formula.isEmpty());
    m_before->setNumbers(shown.before);
    m_after->setNumbers(shown.after);
    m_before->setAccessibleName(tr("Before: %1").arg(shown.beforeWords));
    m_after->setAccessibleName(tr("After: %1").arg(shown.afterWords));
    m_beforeWords->setText(shown.beforeWords);
    m_afterWords->setText(shown.afterWords);
    m_afterWords->setVisible(!shown.afterWords.isEmpty());
    m_formula->setText(shown.formula);
    m_sentence->setText(shown.sentence);
    m_sentence->setVisible(!shown.sentence.isEmpty());
}

} // namespace cannery::ui
