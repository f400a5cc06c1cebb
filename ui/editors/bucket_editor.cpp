// SPDX-License-Identifier: GPL-3.0-only
#include "ui/editors/bucket_editor.h"

#include "ui/editors/bucket_plot.h"
#include "ui/models/formats.h"
#include "ui/widgets/label.h"
#include "ui/widgets/segmented.h"
#include "ui/widgets/style/theme.h"

#include <QHBoxLayout>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QVBoxLayout>

namespace cannery::ui {

namespace {

enum Way
{
    ByHand,
    Quantiles,
    EqualWidths,
};

constexpr int kMostBuckets = 1000;

} // namespace

BucketEditor::BucketEditor(QWidget* parent)
    : QWidget(parent), m_ways(new Segmented({tr("By Hand"), tr("Quantiles"), tr("Equal Widths")})),
      m_count(new QSpinBox), m_plot(new BucketPlot), m_text(new QLineEdit),
      m_problem(new Label({}, TextRole::Label, Ink::Error)),
      m_words(new Label({}, TextRole::Label, Ink::Secondary))
{
    setObjectName("editor.buckets");
    setAccessibleName(tr("Buckets"));
    m_ways->setObjectName("choice.bucket_way");
    m_ways->setAccessibleName(tr("How to choose the boundaries"));
    m_count->setObjectName("field.bucket_count");
    m_count->setAccessibleName(tr("Number of buckets"));
    m_count->setRange(2, kMostBuckets);
    // Otherwise "15" would first cut into one bucket.
    m_count->setKeyboardTracking(false);
    m_text->setObjectName("field.boundaries");
    m_text->setAccessibleName(tr("Boundaries"));
    m_problem->setObjectName("problem.boundaries");
    m_problem->setWordWrap(true);
    m_problem->hide();
    m_words->setWordWrap(true);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(scaled(8));
    column->addWidget(m_ways, 0, Qt::AlignLeft);
    column->addWidget(m_plot);
    auto* row = new QHBoxLayout;
    row->setSpacing(scaled(8));
    row->addWidget(m_text, 1);
    row->addWidget(m_count);
    column->addLayout(row);
    column->addWidget(m_problem);
    column->addWidget(m_words);
    m_count->hide();
    connect(m_ways, &Segmented::currentChanged, this, [this](int way) {
        m_count->setVisible(way != ByHand);
        cut();
    });
    connect(m_count, &QSpinBox::valueChanged, this, &BucketEditor::cut);
    connect(m_text, &QLineEdit::textEdited, this, &BucketEditor::readText);
    connect(m_text, &QLineEdit::editingFinished, this, [this] {
        // Half of a wrong list is not kept: "6, 3, abc" is not [6].
        const QList<double> before = m_beforeTyping.value_or(QList<double>());
        if (!m_problem->isHidden() && !before.isEmpty() && before != m_plot->boundaries()) {
            m_plot->setBoundaries(before);
            showCount();
            Q_EMIT boundariesChanged(before, true);
        }
        showText();
    });
    connect(m_plot, &BucketPlot::dragged, this, [this] {
        showText();
        showCount();
    });
    connect(m_plot, &BucketPlot::changed, this, &BucketEditor::take);
    setNumbers({});
    setBoundaries({});
}

void BucketEditor::setNumbers(const NumberDistribution& numbers)
{
    m_plot->setNumbers(numbers);
    m_ways->setEnabled(!numbers.isEmpty());
    m_ways->setToolTip(numbers.isEmpty() ? tr("The numbers of this column are not known yet.")
                                         : QString());
}

const QList<double>& BucketEditor::boundaries() const
{
    return m_plot->boundaries();
}

void BucketEditor::setBoundaries(const QList<double>& boundaries)
{
    m_plot->setBoundaries(boundaries);
    // "6, 3" means the same as "3, 6": what is being typed is not tidied below the cursor.
    const bool isTyped = readBoundaries(m_text->text()).values == boundaries;
    if (!isTyped || !m_text->hasFocus()) {
        showText();
    }
    showCount();
}

/// An edit in the plot is one by hand.
void BucketEditor::take(const QList<double>& boundaries, bool typing)
{
    const QSignalBlocker blocker(m_ways);
    m_ways->setCurrentIndex(ByHand);
    m_count->hide();
    showText();
    showCount();
    Q_EMIT boundariesChanged(boundaries, typing);
}

void BucketEditor::readText()
{
    const ReadBoundaries read = readBoundaries(m_text->text());
    m_problem->setText(read.problem);
    m_problem->setVisible(!read.problem.isEmpty());
    // Of the first letter only: the list as it was before this edit.
    if (!m_beforeTyping) {
        m_beforeTyping = m_plot->boundaries();
    }
    if (!read.problem.isEmpty() || read.values == m_plot->boundaries()) {
        return;
    }
    m_plot->setBoundaries(read.values);
    const QSignalBlocker blocker(m_ways);
    m_ways->setCurrentIndex(ByHand);
    m_count->hide();
    showCount();
    Q_EMIT boundariesChanged(read.values, true);
}

/// Also what a text becomes that is not a list of boundaries.
void BucketEditor::showText()
{
    const QString text = boundariesText(m_plot->boundaries());
    if (m_text->text() != text) {
        m_text->setText(text);
    }
    m_beforeTyping.reset();
    m_problem->hide();
}

void BucketEditor::showCount()
{
    const qsizetype boundaries = m_plot->boundaries().size();
    const QString count = boundaries == 1
                              ? tr("One boundary makes 2 buckets.")
                              : tr("%1 boundaries make %2 buckets.")
                                    .arg(formatCount(boundaries), formatCount(boundaries + 1));
    m_words->setText(count + ' ' + tr("Drag a divider, or use the arrow keys."));
    // By hand, the number follows the boundaries; otherwise they follow it.
    if (m_ways->currentIndex() == ByHand) {
        const QSignalBlocker blocker(m_count);
        m_count->setValue(int(boundaries) + 1);
    }
}

void BucketEditor::cut()
{
    const int way = m_ways->currentIndex();
    if (way == ByHand) {
        return;
    }
    const NumberDistribution& numbers = m_plot->numbers();
    const QList<double> boundaries = way == Quantiles
                                         ? quantileBoundaries(numbers, m_count->value())
                                         : equalBoundaries(numbers, m_count->value());
    if (boundaries.isEmpty() || boundaries == m_plot->boundaries()) {
        return;
    }
    m_plot->setBoundaries(boundaries);
    showText();
    showCount();
    Q_EMIT boundariesChanged(boundaries, false);
}

} // namespace cannery::ui
