SELECT person.name, person.city, person.state, auction_2.id AS auction
FROM auction AS auction_2
JOIN person
  ON auction_2.seller = person.id
WHERE auction_2.category = 10
  AND person.state IN ('OR', 'ID', 'CA')