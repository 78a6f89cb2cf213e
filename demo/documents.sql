-- The handbook of the shop, and which columns have texts that are searched. Run after the extension and knowledge.sql,
-- by a superuser: index_text() is for the owner of the tables. The last document is for nobody but its owner.

SELECT text2sql.add_document('Returns and exchanges', $md$# Time limit
Customers can return unused goods within 30 days of delivery, members of the Gipfelclub within 60 days. The day on which the parcel was handed over counts, not the day of the order. Without a receipt, the order in the customer account is proof enough.

# What is not taken back
Worn shoes and boots, opened gas cartridges, avalanche transceivers that were switched on, ropes and harnesses are not taken back for reasons of safety or hygiene. Underwear and base layers are taken back only with the seal of the bag unbroken. A defect is another matter: see the document on warranty.

# Exchanges
An exchange for another size is free of charge, in a store as well as by post, and can be done twice for the same item. If the wanted size is not in stock, the store orders it and keeps it for ten days.

# Refunds
The amount is refunded by the way of the payment within five working days after the goods have arrived at the warehouse in Wörgl. Gift cards are refunded as gift cards. The shipping cost of the order is refunded only if everything in it was returned.

# Who approves a refund
Up to 150 euros every sales assistant may refund. Up to 500 euros the store manager decides; above that, customer service at headquarters.

# Returns by post
The return label is in the customer account. Returns within Austria, Germany and Italy are free; from other countries the customer pays 6.90 euros, which is deducted from the refund. Goods that come back without a returns slip are put on the shelf for unknown senders and are kept for eight weeks.
$md$, source => 'handbook', readers => '{demo_analyst}');

SELECT text2sql.add_document('Warranty and repairs', $md$# Warranty
The statutory warranty is two years. On products of our own brand Gratwind we give three years. Signs of wear, damage by campfire sparks and damage by washing at a wrong temperature are not covered.

# Broken buckles and zips
Buckles, zip sliders and drawcords are replaced in every store with a workshop while the customer waits, free of charge even without a receipt. For the Fjordhus Sarek Pro Trekking Pack we have had metal buckles since August 2025, which replace the plastic ones of the first series.

# Leaking tents
A tent that leaks at the seams goes to the workshop in Innsbruck, where the seams are taped again. It takes ten working days. If the fabric itself is damaged, the tent is exchanged. Customers who need a tent before that get one from the rental stock without charge.

# Resoling
Hiking boots with a stitched sole can be resoled for 79 euros. It takes four weeks. Trail running shoes cannot be resoled.

# Down
Single feathers are normal with new down jackets and stop after a few weeks. If more than one chamber loses its filling, the jacket is exchanged. Down jackets are washed by hand at 30 degrees and dried with two tennis balls in the drum.
$md$, source => 'handbook', readers => '{demo_analyst}');

SELECT text2sql.add_document('Shipping', $md$# Delivery times
Parcels to Austria and Germany arrive in two to three working days, to all other countries in three to six. In the week before Christmas we promise no day. Orders placed before noon leave the warehouse on the same day.

# Costs
Shipping is free from 80 euros of goods, below that it costs 4.90 euros within the EU and 12 euros to Switzerland and Norway. Gas cartridges and lithium batteries are sent by road only.

# Lost and damaged parcels
A parcel without a new scan for seven days counts as lost: we send the goods again at once and clear the matter with the carrier ourselves. A damaged parcel is photographed before it is opened. The photos go to customer service within three days, because the carrier accepts no claim later.

# Late presents
If a Christmas order placed before 18 December arrives after the 24th, the customer may return it until the end of February and gets a gift card of ten euros.
$md$, source => 'handbook', readers => '{demo_analyst}');

SELECT text2sql.add_document('Gipfelclub', $md$# Joining
Membership is free and begins with the first purchase above 50 euros. Employees cannot be members.

# Points
Members get one loyalty point for each ten euros, and none on gift cards and on goods reduced by more than 30 percent. Points expire three years after the purchase. A hundred points are worth five euros at the till.

# Advantages
Members can return goods within 60 days, get the workshop service for skis at half price, and are invited to the Gipfelclub days in September. On these days there are 15 percent on everything but books and maps.
$md$, source => 'handbook', readers => '{demo_analyst}');

SELECT text2sql.add_document('Product notices 2025', $md$# January: swapped size labels
In the winter delivery of the Wędrowiec Giewont Rain Jacket the labels of the sizes M and L were swapped at the factory. All stores have checked and relabelled their stock by 31 January 2025. Customers who got a wrong size may exchange it without a time limit and get a care kit as an apology.

# May: new last
Since May 2025 the Bergfalk Krkonoše Plus Trail Shoe has been made on a new last, which is four millimetres narrower in front. The size chart of the web shop was corrected on 4 September 2025 only. Until then advise customers with wide feet to choose another model; one size more does not help.

# July: breaking buckles
The plastic buckle on the hip belt of the Fjordhus Sarek Pro Trekking Pack can break in the cold and under load. The supplier has confirmed a mistake in the mixture of the plastic. Every buckle is replaced by one of metal, also preventively.

# July: seam tape
The tape on the seams of tents of several brands was glued at too low a temperature. It came from the same sub-supplier in Da Nang. Stock was withdrawn on 30 July 2025.

# November: down
A batch of the Gratwind Zugspitze Down Jacket was sewn with needles that were too thick, so feathers come through the holes. Sales stopped on 12 December 2025. Customers get their money back or another model.
$md$, source => 'handbook', readers => '{demo_analyst}');

SELECT text2sql.add_document('Reklamationen in den Filialen', $md$# Annahme
Jede Reklamation wird freundlich angenommen, auch wenn die Ware in einer anderen Filiale gekauft wurde. Das Formular hat drei Teile: einen für die Kundschaft, einen für die Werkstatt, einen für die Buchhaltung.

# Verletzungen und Unfälle
Wird jemand durch ein Produkt verletzt, ist sofort die Filialleitung zu rufen. Das Produkt wird versiegelt aufbewahrt und nicht repariert. Auskünfte an Medien gibt nur die Geschäftsführung.

# Schnelle Hilfe
Bei Reklamationen bis 40 Euro entscheidet das Verkaufspersonal selbst über Umtausch oder Gutschein. Ein Preisnachlass von höchstens 20 Prozent ist ohne Rückfrage möglich, wenn die Kundschaft die Ware trotz eines Fehlers behalten will.

# Gutscheine
Gutscheine gelten dreißig Jahre und werden nicht bar ausgezahlt. Verlorene Gutscheine werden nur gegen den Kaufbeleg ersetzt.
$md$, source => 'handbook', readers => '{demo_analyst}');

SELECT text2sql.add_document('Suppliers: negotiations for 2026', $md$# Limits
We end the contract with a supplier whose share of defective goods is above four percent in two years running. The price of Wędrowiec may rise by three percent at most.
$md$, source => 'management');

SELECT text2sql.index_text('returns.note');
SELECT text2sql.index_text('reviews.field_report');
