// SPDX-License-Identifier: GPL-3.0-only
#include "ui/editors/name_chips.h"

#include "ui/widgets/button.h"
#include "ui/widgets/chip.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/style/theme.h"

#include <QDropEvent>
#include <QMenu>
#include <QMimeData>
#include <QPainter>
#include <QSet>

#include <algorithm>
#include <iterator>
#include <utility>

namespace cannery::ui {

NameChips::NameChips(QWidget* parent)
    : QWidget(parent), m_layout(new FlowLayout(this, 6)),
      m_add(new Button(Button::Kind::Link, tr("Add"), this))
{
    setObjectName("chips.names");
    setAccessibleName(tr("Names"));
    m_add->setObjectName("button.add_name");
    m_add->setAccessibleName(tr("Add a name"));
    m_add->setMenu(new QMenu(m_add));
    m_add->menu()->setToolTipsVisible(true);
    m_layout->addWidget(m_add);
    rebuildMenu();
}

void NameChips::setNames(const QStringList& names)
{
    if (names != m_names) {
        // Whether chips can be removed shows on each of them; if that changes, none is kept.
        const bool couldLeave = canLeave();
        const QStringList before = std::exchange(m_names, names);
        replaceChips(couldLeave == canLeave() ? before : QStringList());
        rebuildMenu();
    }
}

void NameChips::setOffered(const QStringList& offered)
{
    QList<NameOffer> offers;
    for (const QString& name : offered) {
        offers.append({name, {}});
    }
    setOffers(offers);
}

void NameChips::setOffers(const QList<NameOffer>& offers)
{
    if (offers != m_offers) {
        m_offers = offers;
        rebuildMenu();
    }
}

void NameChips::setDropReader(std::function<QString(const QMimeData& drag)> nameIn)
{
    m_nameIn = std::move(nameIn);
    setAcceptDrops(m_nameIn != nullptr);
}

void NameChips::setLeast(int least)
{
    if (least != m_least) {
        m_least = least;
        replaceChips({});
    }
}

void NameChips::replaceChips(const QStringList& before)
{
    // Chips of the common beginning and end stay, and with them the focus.
    const auto [first, oldFirst] =
        std::mismatch(m_names.begin(), m_names.end(), before.begin(), before.end());
    const auto [last, oldLast] =
        std::mismatch(m_names.rbegin(), std::make_reverse_iterator(first), before.rbegin(),
                      std::make_reverse_iterator(oldFirst));
    const qsizetype begin = first - m_names.begin();
    const qsizetype end = last.base() - m_names.begin();
    const qsizetype kept = before.end() - oldLast.base();
    // otherwise each chip that is shown or hidden lays out everything around it
    m_layout->setEnabled(false);
    while (m_chips.size() > begin + kept) {
        QWidget* chip = m_chips.takeAt(begin);
        delete m_layout->takeAt(static_cast<int>(begin));
        // Not deleted at once, as it may be delivering the click that removes it. Its name goes
        // first: another chip gets it.
        chip->setObjectName({});
        chip->hide();
        chip->deleteLater();
    }
    for (qsizetype i = begin; i < end; ++i) {
        QWidget* chip = makeChip(m_names[i]);
        m_chips.insert(i, chip);
        m_layout->insertWidget(static_cast<int>(i), chip);
        setTabOrder(i > 0 ? m_chips[i - 1] : m_add, chip);
        chip->show();
    }
    m_layout->setEnabled(true);
    for (qsizetype i = begin; i < m_chips.size(); ++i) {
        m_chips[i]->setObjectName(QStringLiteral("chip.name.%1").arg(i));
    }
    updateGeometry();
}

QWidget* NameChips::makeChip(const QString& name)
{
    auto* chip = new Chip(name, canLeave(), this);
    chip->setEnabled(canLeave());
    chip->setAccessibleName(canLeave() ? tr("%1; click to remove it").arg(name) : name);
    chip->setToolTip(canLeave() ? tr("Remove %1").arg(name)
                                : tr("At least %1 are needed.").arg(m_least));
    // The place is looked up at the click: chips before this one may have gone by then.
    connect(chip, &QAbstractButton::clicked, this,
            [this, chip] { Q_EMIT removeRequested(static_cast<int>(m_chips.indexOf(chip))); });
    return chip;
}

void NameChips::rebuildMenu()
{
    m_add->menu()->clear();
    const QSet<QString> present(m_names.begin(), m_names.end());
    for (const NameOffer& offer : std::as_const(m_offers)) {
        if (present.contains(offer.name)) {
            continue;
        }
        // A single ampersand would underline the next letter.
        QString shown = offer.name;
        QAction* entry = m_add->menu()->addAction(shown.replace('&', QLatin1String("&&")));
        entry->setObjectName("add." + offer.name);
        entry->setEnabled(offer.hindrance.isEmpty());
        entry->setToolTip(offer.hindrance);
        connect(entry, &QAction::triggered, this,
                [this, name = offer.name] { Q_EMIT addRequested(name); });
    }
    m_add->setVisible(!m_add->menu()->isEmpty());
}

QString NameChips::hindranceOf(const QString& name) const
{
    if (m_names.contains(name)) {
        return tr("%1 is there already.").arg(name);
    }
    for (const NameOffer& offer : m_offers) {
        if (offer.name == name) {
            return offer.hindrance;
        }
    }
    return tr("%1 cannot be added here.").arg(name);
}

void NameChips::setOver(bool isOver)
{
    m_isOver = isOver;
    update();
}

void NameChips::paintEvent(QPaintEvent*)
{
    if (m_isOver) {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(tokens().accent, scaled(2)));
        painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), scaled(6), scaled(6));
    }
}

void NameChips::dragEnterEvent(QDragEnterEvent* event)
{
    const QString name = m_nameIn(*event->mimeData());
    if (name.isEmpty()) {
        return;
    }
    const QString hindrance = hindranceOf(name);
    // Accepted even if it is hindered: Qt would otherwise report neither its moves nor its end.
    event->accept();
    setOver(hindrance.isEmpty());
    Q_EMIT dragHindered(hindrance);
}

void NameChips::dragMoveEvent(QDragMoveEvent* event)
{
    event->setAccepted(m_isOver);
}

void NameChips::dragLeaveEvent(QDragLeaveEvent*)
{
    setOver(false);
    Q_EMIT dragHindered({});
}

void NameChips::dropEvent(QDropEvent* event)
{
    const QString name = m_nameIn(*event->mimeData());
    setOver(false);
    event->setAccepted(!name.isEmpty() && hindranceOf(name).isEmpty());
    if (event->isAccepted()) {
        Q_EMIT addRequested(name);
    }
}

} // namespace cannery::ui
